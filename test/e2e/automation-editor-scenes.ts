import type { Page } from 'playwright-core';
import type { DryRun } from '#protocol/agent/automations/dry-run.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { samplePortalUpload, sampleSession, sampleTeam } from '#test/support/browser/samples.ts';
import { demandingPortal } from './form-scenes.ts';
import type { Scene } from './scene.ts';

const teams = [sampleTeam(), sampleTeam({ id: 'team-2', name: 'Northlight Sound', subdomain: 'northlight' })];
const signedIn = { session: sampleSession({ teams }) } as const;

export const editorAt = async (page: Page, route: string): Promise<void> => {
  await page.locator('nav.nav').waitFor();
  await page.evaluate((hash) => location.assign(hash), `#/automations/${route}`);
};
const folderIs = (page: Page, path: string): Promise<void> => page.getByRole('textbox', { name: /^(Watched folder|Ordner)$/ }).fill(path);

const found: DryRun = {
  packages: [
    { name: 'renders 2026-11-20 7', files: 214, total_bytes: 48_200_000_000, paths: ['sc040/beauty.0001.exr', 'sc040/beauty.0002.exr'] },
    { name: 'A_sc120_graded.mov', files: 1, total_bytes: 9_400_000_000, paths: ['A_sc120_graded.mov'] },
  ],
  skipped: [
    { path: 'sc041/beauty.0001.exr.part', reason: 'Its name says that it is not ready (*.part).' },
    { path: 'notes.txt', reason: 'The patterns leave it out.' },
  ],
  truncated: true,
};

const finds =
  (dryRun: DryRun) =>
  ({ automations }: FakeAgent): void => {
    automations.dryRun = () => dryRun;
    automations.testPatterns = ({ names }) => ({
      results: names.map((name) => ({
        name,
        sent: name === 'A001.mov',
        by: name.endsWith('.part') ? '*.part' : name.includes('.mov') ? '*.mov' : '',
      })),
    });
  };

const throughPortal = (agent: FakeAgent): void => {
  agent.previewPortal = () => ({ ...demandingPortal, has_access_code: false });
  agent.automations.dryRun = () => ({
    packages: [
      {
        name: 'A001',
        files: 3,
        total_bytes: 31_000_000_000,
        paths: ['A001/clip.mov'],
        form: { camera: { value: 'A' }, checks: { value: ['Sound', 'Slate'] }, day: { value: '' } },
        missing_fields: ['day'],
      },
    ],
    skipped: [],
    truncated: false,
  });
};
const portals = ({ mounts }: FakeAgent): void => {
  mounts.portals = [
    { id: 'portal-1', name: 'Northlight dailies', subdomain: 'northlight', active: true },
    { id: 'portal-2', name: 'Sound rushes', subdomain: 'sound-rushes', active: false },
  ];
};

export const automationEditorScenes: readonly Scene[] = [
  { name: 'editor-kinds', agent: signedIn, act: (page) => editorAt(page, 'new'), shows: 'at all Portals of a Team' },
  {
    name: 'editor-team-upload',
    agent: signedIn,
    prepare: finds(found),
    async act(page) {
      await editorAt(page, 'new?kind=team_upload');
      await folderIs(page, '/media/renders');
      await page.getByRole('button', { name: 'Insert: folder' }).click();
      await page.getByText('It would send 2 packages').waitFor();
      await page.getByText('2 entries stay where they are').click();
    },
    shows: 'It would send 2 packages',
  },
  {
    name: 'editor-folded',
    agent: signedIn,
    prepare: finds({ packages: [], skipped: [], truncated: false }),
    async act(page) {
      await editorAt(page, 'new?kind=team_upload');
      await folderIs(page, '/media/renders');
      await page.getByText('Which files').click();
      await page.getByText('When', { exact: true }).click();
      await page.getByLabel('Only at certain times').check();
      await page.getByLabel('One package for').selectOption('marker');
      await page.getByText('by *.part').waitFor();
    },
    shows: 'Nothing is ready to be sent.',
  },
  {
    name: 'editor-portal-upload',
    agent: signedIn,
    prepare: throughPortal,
    async act(page) {
      await editorAt(page, 'new?kind=portal_upload');
      await folderIs(page, '/media/cart');
      await page.getByLabel('Address of the Portal').fill('northlight');
      await page.getByLabel('Answer to “Camera”').selectOption('name');
      await page.getByLabel('Answer to “Shooting day”').selectOption('sidecar');
      await page.getByText('It would send 1 package').waitFor();
    },
    shows: 'Would be asked in “Needs you”: day',
  },
  {
    name: 'editor-portal-download',
    agent: signedIn,
    prepare(agent) {
      portals(agent);
      finds({ ...found, truncated: false, skipped: [] })(agent);
    },
    async act(page) {
      await editorAt(page, 'new?kind=portal_download');
      await page.getByRole('combobox', { name: 'Portal', exact: true }).selectOption('portal-1');
      await page.getByLabel('Into the folder').fill('/media/incoming');
      await page.getByLabel('Day', { exact: true }).check();
      await page.getByLabel('Beginning with').selectOption('day');
      await page.getByText('It would get 2 packages').waitFor();
    },
    shows: 'It would get 2 packages',
  },
  {
    name: 'editor-refused',
    agent: signedIn,
    prepare(agent) {
      finds(found)(agent);
      agent.automations.create = () => {
        throw new AgentError('folders_overlap', { folder: '/media/renders', other: '/media', detail: 'the automation "Cart"' });
      };
    },
    async act(page) {
      await editorAt(page, 'new?kind=team_upload');
      await folderIs(page, '/media/renders');
      await page.getByRole('button', { name: 'Make it' }).click();
    },
    shows: 'lie in each other',
  },
  {
    name: 'editor-dry-run-failed',
    agent: { session: sampleSession({ teams }), automations: [samplePortalUpload({ has_access_code: true })] },
    prepare(agent) {
      agent.previewPortal = () => {
        throw new ApiError('access_code_wrong');
      };
      agent.automations.dryRun = () => {
        throw new AgentError('path_unreadable', { path: '/media/cart', detail: 'the permission to read it is missing.' });
      };
    },
    act: (page) => editorAt(page, 'automation-2/edit'),
    shows: 'the permission to read it is missing.',
  },
  {
    name: 'editor-unsaved',
    agent: signedIn,
    async act(page) {
      await editorAt(page, 'new?kind=all_portals_download');
      await page.getByLabel('Into the folder').fill('incoming');
      await page.getByRole('link', { name: 'History' }).click();
    },
    shows: 'Throw away what you have filled in?',
  },
  {
    name: 'editor-signed-out',
    agent: {},
    act: (page) => editorAt(page, 'new?kind=team_upload'),
    shows: 'For this you have to be signed in',
  },
  {
    name: 'editor-german',
    agent: signedIn,
    prepare(agent) {
      agent.settings = { ...agent.settings, language: 'de' };
      throughPortal(agent);
    },
    async act(page) {
      await editorAt(page, 'new?kind=portal_upload');
      await folderIs(page, '/media/cart');
      await page.getByLabel('Adresse des Portals').fill('northlight');
      await page.getByLabel('Antwort auf „Camera“').selectOption('name');
      await page.getByText('Welche Dateien').click();
      await page.getByText('Sie würde 1 Paket senden').waitFor();
    },
    shows: 'Würde unter „Braucht Sie“ gefragt: day',
  },
  {
    name: 'editor-kinds-german',
    agent: signedIn,
    prepare(agent) {
      agent.settings = { ...agent.settings, language: 'de' };
    },
    act: (page) => editorAt(page, 'new'),
    shows: 'bei allen Portalen eines Teams',
  },
];
