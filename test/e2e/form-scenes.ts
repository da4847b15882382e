import type { Page } from 'playwright-core';
import type { FolderListing } from '#protocol/agent/folders.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { FormField } from '#protocol/hosted/forms.ts';
import {
  sampleLinkPreview,
  samplePublicPortal,
  sampleRateLimit,
  sampleSession,
  sampleSignedIn,
  sampleTeam,
  sampleTransfer,
} from '#test/support/browser/samples.ts';
import type { Scene } from './scene.ts';

/** Faces of signing in, sending, getting, the history, the settings and the page about it. */

const link = 'https://share.example.com/d/01JD3?secret=abcdefgh';
const teams = [
  sampleTeam(),
  sampleTeam({ id: 'team-2', name: 'Northlight Sound', subdomain: 'northlight', custom_expiry_default: 30 }),
  sampleTeam({ id: 'team-3', name: 'Archive', subdomain: 'archive', custom_expiry_enabled: false }),
];
const signedIn = { session: sampleSession({ teams }) } as const;
const several = { ...signedIn, otherSessions: [sampleSignedIn()] } as const;
const ended = { ...signedIn, otherSessions: [sampleSignedIn({ state: 'ended' })] } as const;

const entry = (name: string, kind: 'directory' | 'file', size = 0): FolderListing['entries'][number] => ({
  name,
  kind,
  size,
  last_modified: '2026-11-19T17:40:00.000Z',
});
export const folders: readonly FolderListing[] = [
  {
    path: '/home/mia',
    parent: null,
    roots: ['/home/mia', '/media'],
    entries: [
      entry('Dailies', 'directory'),
      entry('Downloads', 'directory'),
      entry('Cue sheet, final and checked twice.pdf', 'file', 184_000),
    ],
    truncated: false,
  },
  {
    path: '/home/mia/Dailies',
    parent: '/home/mia',
    roots: ['/home/mia', '/media'],
    entries: [
      entry('A001', 'directory'),
      entry('A002', 'directory'),
      ...Array.from({ length: 14 }, (_, index) => entry(`A001C0${10 + index}.mov`, 'file', 2_400_000_000 + index * 31_000_000)),
    ],
    truncated: false,
  },
];

const field = (change: Partial<FormField> & Pick<FormField, 'name' | 'type'>): FormField => ({
  label: change.name,
  visibility: 'optional',
  position: 1,
  ...change,
});
export const demandingPortal = samplePublicPortal({
  has_access_code: true,
  terms_of_service_enabled: true,
  terms_of_service: {
    title: 'Before you upload',
    description: 'Send only what you may send. What you send is kept for 30 days.',
    checkbox_label: 'I agree to the terms of Northlight',
    checkbox_url: 'https://northlight.example/terms',
  },
  package_size_restriction_enabled: true,
  max_file_size: 50_000_000_000,
  max_file_count: 500,
  file_type_restriction_enabled: true,
  file_types: ['.mov', '.wav'],
  custom_metadata: [
    field({ name: 'camera', label: 'Camera', type: 'dropdown', options: ['A', 'B'], visibility: 'required', position: 1 }),
    field({ name: 'day', label: 'Shooting day', type: 'date', position: 2 }),
    field({ name: 'checks', label: 'Checked', type: 'checkbox', options: ['Sound', 'Slate'], position: 3 }),
    field({ name: 'mail', label: 'Your address', type: 'sender_email', visibility: 'required', position: 0 }),
    field({ name: 'project', label: 'Project', type: 'short_text', visibility: 'readonly', default_value: 'Harbour', position: 4 }),
  ],
});

export const openSend = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
export const openGet = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Get files' }).click();
export async function addPath(page: Page, path: string): Promise<void> {
  await page.getByLabel('Path', { exact: true }).fill(path);
  await page.keyboard.press('Enter');
}
export async function enterPortal(page: Page): Promise<void> {
  await openSend(page);
  await page.getByRole('radio', { name: 'Through a Portal' }).check();
  await page.getByLabel('Address of the Portal').fill('https://files.northlight.example/p/northlight');
  await page.keyboard.press('Enter');
  await page.getByLabel('Access code').fill('harbour');
  await page.keyboard.press('Enter');
}

export async function sendAsLink(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'As a link' }).check();
  await page.getByRole('button', { name: 'Send and make a link' }).click();
}

/** A form that is closed with something in it. */
export async function leaveFilled(page: Page): Promise<void> {
  await openSend(page);
  await addPath(page, '/media/A001');
  await page.getByRole('button', { name: 'Close' }).click();
}

/** In a narrow window the last place is not in the navigation. */
export const go = (page: Page, place: string) =>
  place === 'About'
    ? page.evaluate(() => location.assign('#/about'))
    : page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: place }).click();

export const past = [
  sampleTransfer({
    id: 'past-1',
    name: 'Trailer, final mix',
    state: 'complete',
    bytes: 4_200_000_000,
    total_bytes: 4_200_000_000,
    files: 3,
    total_files: 3,
    url: link,
    finished_at: '2026-11-20T07:12:00.000Z',
  }),
  sampleTransfer({
    id: 'past-2',
    kind: 'download',
    name: 'Music stems',
    state: 'complete',
    total_bytes: 840_000_000,
    total_files: 24,
    dst_folder: '/media/incoming',
    finished_at: '2026-11-19T17:40:00.000Z',
  }),
  sampleTransfer({
    id: 'past-3',
    name: 'VFX plates, sequence 040 to 120, graded and ungraded, with reference stills of every set-up in the yard',
    state: 'complete',
    team_id: '',
    portal: { id: 'portal-1', name: 'Northlight dailies' },
    finished_at: '2026-11-19T16:02:00.000Z',
  }),
  sampleTransfer({ id: 'past-4', name: 'Wrong cut', state: 'cancelled', finished_at: '2025-11-19T16:02:00.000Z' }),
];

export const formScenes: readonly Scene[] = [
  {
    name: 'sign-in-key',
    agent: {},
    async act(page) {
      await page.getByRole('radio', { name: 'API key' }).check();
      await page.getByRole('button', { name: 'Another service' }).click();
      await page.getByLabel('Service').fill('http://nas.local:8080');
    },
    shows: 'This address is not encrypted',
  },
  {
    name: 'accounts',
    agent: several,
    act: (page) => page.getByRole('button', { name: /Mia Lindqvist/ }).click(),
    shows: 'Add an account',
  },
  {
    name: 'session-ended',
    agent: ended,
    act: (page) => page.getByRole('button', { name: 'Sign in again' }).click(),
    shows: 'has ended',
  },
  {
    name: 'send',
    agent: several,
    async act(page) {
      await openSend(page);
      await addPath(page, '/media/A001');
      await addPath(page, '/media/A002/with a rather long name of a folder that somebody made/on the set');
      await page.getByLabel('Recipients').fill('post@studio.example, colour@studio.example ');
      await page.getByText('How long, and how often').click();
      await page.getByText('172 files, 4.8 TB').waitFor();
    },
    shows: 'about 14 min at the speed of late',
  },
  {
    name: 'send-kept',
    agent: signedIn,
    async act(page) {
      await leaveFilled(page);
      await openSend(page);
    },
    shows: 'Here is what you had begun.',
  },
  {
    name: 'send-link',
    agent: signedIn,
    prepare(agent) {
      agent.missing = ['/media/gone/A003'];
    },
    async act(page) {
      await openSend(page);
      await page.getByRole('radio', { name: 'As a link' }).check();
      await addPath(page, '/media/A001/A001C012.mov');
      await addPath(page, '/media/gone/A003');
    },
    shows: 'There is no file or folder at /media/gone/A003.',
  },
  {
    name: 'places',
    agent: signedIn,
    prepare(agent) {
      agent.folders = folders;
    },
    async act(page) {
      await openSend(page);
      await page.getByRole('button', { name: 'Browse…' }).click();
      await page.getByRole('button', { name: /CARD_7/ }).click();
    },
    shows: 'Allow and open it',
  },
  {
    name: 'send-failed',
    agent: signedIn,
    prepare(agent) {
      agent.create = () => {
        throw new AgentError('path_not_found', { path: '/media/A009' });
      };
    },
    async act(page) {
      await openSend(page);
      await addPath(page, '/media/A009');
      await sendAsLink(page);
    },
    shows: 'There is no file or folder at /media/A009.',
  },
  {
    name: 'folders',
    agent: signedIn,
    prepare(agent) {
      agent.folders = folders;
    },
    async act(page) {
      await openSend(page);
      await page.getByRole('button', { name: 'Browse…' }).click();
      await page.getByRole('button', { name: 'Open Dailies' }).click();
      await page.getByRole('checkbox', { name: 'Choose A001', exact: true }).check();
      await page.getByRole('checkbox', { name: 'Choose A001C012.mov' }).check();
    },
    shows: 'Choose 2 items',
  },
  {
    name: 'send-portal',
    agent: {},
    prepare(agent) {
      agent.previewPortal = ({ access_code }) => {
        if (access_code !== 'harbour') throw new ApiError('access_code_wrong');
        return demandingPortal;
      };
    },
    async act(page) {
      await enterPortal(page);
      await addPath(page, '/media/A001');
      await page.getByRole('button', { name: 'Send to Northlight dailies' }).click();
    },
    shows: 'Agree to the terms to send.',
  },
  {
    name: 'get-password',
    agent: signedIn,
    prepare(agent) {
      agent.previewLink = () => {
        throw new ApiError('link_password_wrong');
      };
    },
    async act(page) {
      await openGet(page);
      await page.getByLabel('Download link').fill(link);
      await page.keyboard.press('Enter');
    },
    shows: 'This link is protected.',
  },
  {
    name: 'get-choose',
    agent: signedIn,
    prepare(agent) {
      agent.previewLink = () => sampleLinkPreview();
    },
    async act(page) {
      await openGet(page);
      await page.getByLabel('Download link').fill(link);
      await page.keyboard.press('Enter');
      await page.getByLabel('Choose some of them').check();
      await page.getByRole('checkbox', { name: /Reel 1 strings/ }).uncheck();
    },
    shows: '3 of 4 files',
  },
  {
    name: 'get-hidden',
    agent: signedIn,
    prepare(agent) {
      agent.previewLink = () => sampleLinkPreview();
      agent.create = () => {
        throw new AgentError('hidden_names', { folder: '/home/mia', names: '.bash_profile, .ssh, .config (+ 2)' });
      };
    },
    async act(page) {
      await openGet(page);
      await page.getByLabel('Download link').fill(link);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Get files' }).click();
    },
    shows: 'Do you trust the sender?',
  },
  {
    name: 'history',
    agent: { ...signedIn, transfers: past },
    act: (page) => go(page, 'History'),
    shows: 'Trailer, final mix',
  },
  { name: 'history-empty', agent: signedIn, act: (page) => go(page, 'History'), shows: 'Nothing here yet' },
  {
    name: 'settings',
    agent: signedIn,
    prepare(agent) {
      const workday = { enabled: true, start: '08:00', end: '18:30' };
      const night = { enabled: true, start: '20:00', end: '06:00' };
      const { schedule } = sampleRateLimit();
      agent.settings = { ...agent.settings, allowed_roots: ['/home/mia', '/media'] };
      agent.rateLimits.upload = sampleRateLimit({
        enabled: true,
        rate_limit_bps: 12_500_000,
        schedule_enabled: true,
        schedule: { ...schedule, mon: workday, tue: workday, wed: workday, thu: workday, fri: night },
      });
    },
    act: (page) => go(page, 'Settings'),
    shows: 'Limit for sending',
  },
  {
    name: 'applications',
    agent: signedIn,
    prepare(agent) {
      const never = '0001-01-01T00:00:00.000Z';
      const token = { created_at: '2026-11-01T08:00:00.000Z', expires_at: never, last_used_at: never, revoked_at: never };
      agent.tokens = [
        { ...token, id: 'a', name: 'Render farm', scopes: ['transfer'], last_used_at: '2026-11-20T07:40:00.000Z' },
        { ...token, id: 'b', name: 'Wall display', scopes: ['read'], expires_at: '2126-11-01T08:00:00.000Z' },
        { ...token, id: 'c', name: 'Old ingest', scopes: ['settings'], revoked_at: '2026-11-02T08:00:00.000Z' },
      ];
      const call = { address: '192.168.1.20', first_at: '2026-11-20T06:40:00.000Z', last_at: '2026-11-20T07:40:00.000Z' };
      agent.tokenCalls = [
        { ...call, method: 'GET', path: '/api/v1/transfers', status: 200, count: 118 },
        { ...call, method: 'PUT', path: '/api/v1/settings', status: 403, count: 1 },
      ];
    },
    async act(page) {
      await go(page, 'Settings');
      await page.getByRole('button', { name: 'What it did: Render farm' }).click();
      await page.getByRole('button', { name: 'End: Wall display' }).click();
      await page.getByText('Those that have ended').click();
      await page.getByText('118 times').waitFor();
    },
    shows: 'Wall display is refused from then on.',
  },
  {
    name: 'application-new',
    agent: signedIn,
    async act(page) {
      await go(page, 'Settings');
      await page.getByRole('button', { name: 'Add an application' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Render farm');
    },
    shows: 'Make its token',
  },
  {
    name: 'application-made',
    agent: signedIn,
    async act(page) {
      await go(page, 'Settings');
      await page.getByRole('button', { name: 'Add an application' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Render farm');
      await page.keyboard.press('Enter');
    },
    shows: 'It is shown this once and kept nowhere.',
  },
  {
    name: 'about',
    agent: { ...signedIn, warnings: ['Secrets are kept in an encrypted file, because this machine has no keychain.'] },
    async act(page) {
      await go(page, 'About');
      await page.getByRole('button', { name: 'Show the licences' }).click();
      await page.getByText('fastify', { exact: false }).first().waitFor();
    },
    shows: 'Support bundle',
  },
  {
    name: 'keys',
    agent: signedIn,
    async act(page) {
      await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
      await page.keyboard.press('?');
    },
    shows: 'In the list of transfers',
  },
  {
    name: 'german-busy',
    agent: { ...several, transfers: [...past, sampleTransfer()] },
    prepare(agent) {
      agent.settings = { ...agent.settings, language: 'de' };
    },
    async act(page) {
      await page.getByRole('checkbox', { name: 'Dailies, day 12 auswählen' }).click();
    },
    shows: '1 ausgewählt',
  },
  {
    name: 'german',
    agent: several,
    prepare(agent) {
      agent.settings = { ...agent.settings, language: 'de', appearance: 'dark' };
    },
    async act(page) {
      await page.getByRole('banner').getByRole('button', { name: 'Dateien senden' }).click();
      await page.getByText('Wie lange und wie oft').click();
    },
    shows: 'Jeder Empfänger bekommt eine Nachricht mit einem eigenen Link.',
  },
];
