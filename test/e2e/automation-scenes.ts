import type { Page } from 'playwright-core';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { LedgerEntry } from '#protocol/agent/automations/history.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { FormField } from '#protocol/hosted/forms.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import {
  sampleAllPortalsDownload,
  samplePortalDownload,
  samplePortalUpload,
  sampleSession,
  sampleTeamUpload,
} from '#test/support/browser/samples.ts';
import type { Scene } from './scene.ts';

/** Faces of the automations: their list, one of them, and what is exchanged as YAML. */

const signedIn = { session: sampleSession() } as const;
const counts = { sent: 412, waiting: 0, failed: 0, questions: 0 } as const;

const asking: Automation = samplePortalUpload({
  state: 'needs_you',
  counts: { ...counts, waiting: 3, questions: 2 },
  package_per: 'marker',
  marker: '*.mhl',
  include: ['*.mov', '*.wav'],
  exclude: ['*_proxy.mov'],
  after: 'move',
  move_to: '/media/sent',
});

/** One of each kind, and each in another state. */
export const busyAutomations: readonly Automation[] = [
  sampleTeamUpload({
    state: 'working',
    counts: { ...counts, waiting: 3 },
    waiting_for: 'day 12: A001C014.mov: It has to be still for 12 s more.',
    waiting_since: '2026-11-20T08:02:00.000Z',
  }),
  asking,
  samplePortalDownload(),
  sampleAllPortalsDownload({ state: 'resting', active: false, counts: { ...counts, sent: 1_204 } }),
  sampleTeamUpload({
    id: 'automation-5',
    name: 'Sound rushes from the recorder of the second unit, every evening',
    folder: '/Volumes/SOUND_02/Recorder/Second unit/Rushes of the day',
    state: 'error',
    message: new AgentError('path_not_found', { path: '/Volumes/SOUND_02/Recorder/Second unit/Rushes of the day' }).message,
    counts: { ...counts, sent: 96 },
  }),
  sampleTeamUpload({
    id: 'automation-6',
    name: 'Stills',
    folder: '/media/stills',
    state: 'needs_you',
    message: 'Some transfers failed or were cancelled. Retry them, or forget their entries.',
    counts: { ...counts, failed: 2 },
  }),
];

const entry = (index: number, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  id: `entry-${index}`,
  path: `day 12/A001C0${10 + index}.mov`,
  size: 2_400_000_000 + index * 31_000_000,
  modified_at: '2026-11-20T07:40:00.000Z',
  transfer_id: 'transfer-1',
  state: 'moved',
  at: '2026-11-20T08:04:00.000Z',
  ...change,
});

const field = (change: Partial<FormField>): FormField => ({
  name: 'camera',
  label: 'Camera',
  type: 'dropdown',
  visibility: 'required',
  position: 1,
  options: ['A', 'B', 'C'],
  ...change,
});

/** What the automation that asks did, knows and asks. */
export function knowMuch(agent: FakeAgent): void {
  const { automations, mounts } = agent;
  mounts.portals = [{ id: 'portal-1', name: 'Northlight dailies', subdomain: 'northlight', active: true }];
  automations.results.set(asking.id, [
    { at: '2026-11-20T08:05:00.000Z', kind: 'question', name: 'B004', message: 'The form lacks: Camera, Scene.' },
    { at: '2026-11-20T08:04:00.000Z', kind: 'sent', name: 'day 12', transfer_id: 'transfer-1', message: '' },
    {
      at: '2026-11-19T19:31:00.000Z',
      kind: 'failed',
      name: 'A007, with the reference stills of every set-up',
      transfer_id: 'transfer-2',
      message: 'Its transfer ended without it.',
    },
    { at: '2026-11-19T18:00:00.000Z', kind: 'sent', name: 'day 11', transfer_id: 'transfer-3', message: '' },
  ]);
  automations.ledgers.set(asking.id, [
    entry(0, { state: 'sending' }),
    ...[1, 2, 3, 4].map((index) => entry(index)),
    entry(5, { state: 'failed', message: 'Its transfer was cancelled. Retry that, or forget this entry.' }),
    entry(6, {
      path: 'leftover from the last production, with a rather long name that somebody gave it.mov',
      state: 'existing',
      transfer_id: '',
    }),
  ]);
  automations.questions.set(asking.id, [
    {
      id: 'question-1',
      entry: 'B004',
      asked_at: '2026-11-20T08:05:00.000Z',
      fields: [field({}), field({ name: 'scene', label: 'Scene', type: 'short_text', options: [], position: 2 })],
    },
    { id: 'question-2', entry: 'B005', asked_at: '2026-11-20T08:05:10.000Z', fields: [field({})] },
  ]);
  automations.yaml =
    'automations:\n  - name: Camera cart\n    kind: portal_upload\n    folder: /media/cart\n    subdomain: northlight\n    sender: mia@harbour.example\n';
}

const goTo = (hash: string) => async (page: Page) => {
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  await page.evaluate((to) => location.assign(to), hash);
};
const openList = goTo('#/automations');
const openOne = goTo(`#/automations/${asking.id}`);
const busy = { agent: { ...signedIn, automations: busyAutomations }, prepare: knowMuch } as const;

export const automationScenes: readonly Scene[] = [
  { name: 'automations-empty', agent: signedIn, act: openList, shows: 'Let folders send by themselves' },
  { name: 'automations', ...busy, act: openList, shows: '3 waiting' },
  {
    name: 'automations-menu',
    ...busy,
    async act(page) {
      await openList(page);
      await page.getByRole('button', { name: 'More for Renders' }).click();
    },
    shows: 'Duplicate',
  },
  {
    name: 'automations-remove',
    ...busy,
    async act(page) {
      await openList(page);
      await page.getByRole('button', { name: 'More for Stills' }).click();
      await page.getByRole('menuitem', { name: 'Remove…' }).click();
    },
    shows: 'Remove Stills?',
  },
  {
    name: 'automations-export',
    ...busy,
    async act(page) {
      await openList(page);
      await page.getByRole('button', { name: 'Export' }).click();
    },
    shows: 'Save as file',
  },
  {
    name: 'automations-import-wrong',
    ...busy,
    prepare(agent) {
      knowMuch(agent);
      agent.automations.import = () => {
        throw new ApiError('invalid_request', { detail: 'Line 3: The field folder is missing.' });
      };
    },
    async act(page) {
      await openList(page);
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByLabel('YAML').fill('automations:\n  - name: Renders\n    kind: team_upload\n    recipients: []\n');
      await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    },
    shows: 'The field folder is missing.',
  },
  {
    name: 'automations-imported',
    ...busy,
    prepare(agent) {
      knowMuch(agent);
      agent.automations.import = () => ({ created: 1, updated: 2, unchanged: 3 });
    },
    async act(page) {
      await openList(page);
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByLabel('YAML').fill('automations: []\n');
      await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    },
    shows: '1 made, 2 changed, 3 as they were.',
  },
  { name: 'automation', ...busy, act: openOne, shows: 'leftover from the last production' },
  {
    name: 'automation-answer-missing',
    ...busy,
    async act(page) {
      await openOne(page);
      await page.getByRole('form', { name: 'Form for B004' }).getByRole('button', { name: 'Answer and send' }).click();
    },
    shows: 'Form for B004',
  },
  {
    name: 'automation-forget',
    ...busy,
    async act(page) {
      await openOne(page);
      await page.getByRole('checkbox', { name: 'Select day 12/A001C012.mov' }).click();
      await page.getByRole('checkbox', { name: 'Select day 12/A001C013.mov' }).click();
      await page.getByRole('button', { name: 'Forget 2 entries…' }).click();
    },
    shows: 'is still in the folder is sent again.',
  },
  { name: 'automations-need-you', ...busy, act: goTo('#/needs'), shows: 'Camera cart' },
];
