import type { Page } from 'playwright-core';
import type { PersonsRemedy } from '#protocol/agent/remedy.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { openPlace } from '#protocol/deep-link.ts';
import { AgentError, ApiError, type ErrorName } from '#protocol/errors.ts';
import { sampleFile, sampleSession, sampleTeam, sampleTransfer, sampleUnreachable } from '#test/support/browser/samples.ts';
import { automationEditorScenes } from './automation-editor-scenes.ts';
import { automationScenes } from './automation-scenes.ts';
import { deadlineScenes } from './deadline-scenes.ts';
import { formScenes } from './form-scenes.ts';
import { mountScenes } from './mount-scenes.ts';
import type { Scene } from './scene.ts';

const link = 'https://share.example.com/d/01JD3?secret=abcdefgh';
const path = 'reels/2026/graded/scene-004/takes/really-long-folder-name-that-goes-on';

/** Hands the page a deep link, as the desktop or a second tab does. */
const opening = (page: Page, address: string): Promise<void> => page.evaluate((place) => location.assign(place), openPlace(address));

const manyKinds: readonly AgentTransfer[] = [
  sampleTransfer(),
  sampleTransfer({
    id: 'transfer-2',
    kind: 'download',
    name: 'VFX plates, sequence 040 to 120, graded and ungraded, with reference stills of every set-up in the yard',
    position: 2,
    dst_folder: '/media/incoming/plates',
    bytes: 8_100_000_000,
    total_bytes: 9_000_000_000,
    bytes_per_second: 86_000_000,
    seconds_left: 11,
  }),
  sampleTransfer({
    id: 'transfer-3',
    name: 'Sound rushes',
    position: 3,
    bytes: 1_200_000_000,
    total_bytes: 6_400_000_000,
    bytes_per_second: 0,
    seconds_left: null,
    waiting: { reason: 'The service cannot be reached.', until: '2026-11-20T08:06:30.000Z' },
  }),
  sampleTransfer({
    id: 'transfer-4',
    name: 'Camera reports',
    state: 'queued',
    position: 4,
    bytes: 0,
    total_bytes: 18_300,
    bytes_per_second: 0,
    seconds_left: null,
  }),
  sampleTransfer({
    id: 'transfer-5',
    name: 'B-camera cards',
    state: 'error',
    position: 5,
    bytes: 30_000_000_000,
    total_bytes: 64_000_000_000,
    bytes_per_second: 0,
    seconds_left: null,
    error: { code: 524289, message: 'There is no file or folder at /media/B002.', retryable: true },
  }),
  sampleTransfer({
    id: 'transfer-6',
    name: 'Trailer, final mix',
    state: 'complete',
    bytes: 4_200_000_000,
    total_bytes: 4_200_000_000,
    files: 3,
    total_files: 3,
    url: link,
    links: [
      { email: 'post@studio.example', url: link },
      { email: 'colour@studio.example', url: `${link}i` },
    ],
    finished_at: '2026-11-20T07:12:00.000Z',
  }),
  sampleTransfer({
    id: 'transfer-7',
    kind: 'download',
    name: 'Music stems',
    state: 'complete',
    bytes: 840_000_000,
    total_bytes: 840_000_000,
    files: 24,
    total_files: 24,
    dst_folder: '/media/incoming',
    finished_at: '2026-11-19T17:40:00.000Z',
  }),
  sampleTransfer({ id: 'transfer-8', name: 'Wrong cut', state: 'cancelled', finished_at: '2026-11-19T16:02:00.000Z' }),
];

const failure = (error: ErrorName, details: Record<string, string | number>, remedy: PersonsRemedy): AgentTransfer['error'] => {
  const { code, message } = new AgentError(error, details);
  return { code, message, retryable: false, cause: error, remedy, needs_person: true };
};
const stands = { bytes_per_second: 0, seconds_left: null } as const;

/** Transfers that stay as they are until somebody does something. */
const stuck: readonly AgentTransfer[] = [
  sampleTransfer({
    id: 'stuck-1',
    kind: 'download',
    name: 'Plates, graded',
    dst_folder: '/media/incoming',
    position: 21,
    ...stands,
    waiting: {
      reason:
        'The disk at /media/incoming has too little room: 490000000 more bytes are needed. Free some; work goes on by itself; trying again in 30 s.',
      until: '2026-11-20T08:06:30.000Z',
      cause: 'disk_full',
      remedy: 'free_space',
      needs_person: true,
    },
  }),
  sampleTransfer({
    id: 'stuck-2',
    name: 'B-camera cards, both days, with the reference stills of every set-up',
    state: 'error',
    position: 22,
    ...stands,
    error: failure(
      'files_failed',
      { count: 1_204, total: 20_000, detail: '/media/B002/C014.mov is not there any more. Put it back, or connect its drive again.' },
      'finalize_without',
    ),
  }),
  sampleTransfer({
    id: 'stuck-3',
    kind: 'download',
    name: 'Music stems, reel 4',
    state: 'error',
    position: 23,
    ...stands,
    url: 'https://share.example.com/d/01JD4',
    error: failure('link_password_wrong', {}, 'new_password'),
  }),
  sampleTransfer({
    id: 'stuck-4',
    name: 'Sound rushes, day 14',
    position: 24,
    ...stands,
    waiting: {
      reason: 'Nobody is signed in. Sign in, and it goes on by itself.',
      cause: 'session_is_nil',
      remedy: 'sign_in',
      needs_person: true,
    },
  }),
];

const teams = [
  sampleTeam(),
  sampleTeam({ id: 'team-2', name: 'Northlight Sound', subdomain: 'northlight', custom_expiry_default: 30 }),
  sampleTeam({ id: 'team-3', name: 'Archive', subdomain: 'archive', custom_expiry_enabled: false }),
];

const busy = { session: sampleSession({ teams }), transfers: manyKinds } as const;

export const scenes: readonly Scene[] = [
  { name: 'signed-out', agent: {}, shows: 'Sign in' },
  {
    name: 'wrong-password',
    agent: {},
    async act(page) {
      await page.getByRole('textbox', { name: 'E-mail' }).fill('mia@harbour.example');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    },
    shows: 'The e-mail address or the password is wrong.',
  },
  { name: 'signed-out-with-download', agent: { transfers: [manyKinds[1]!] }, shows: 'Receiving' },
  { name: 'empty', agent: { session: sampleSession() }, shows: 'Nothing on the move' },
  { name: 'no-team', agent: { session: sampleSession({ teams: [] }) }, shows: 'You are in no Team yet' },
  {
    name: 'loading',
    agent: { session: sampleSession() },
    prepare(agent) {
      agent.before = () => new Promise(() => {});
    },
    shows: 'Connecting to the agent…',
  },
  {
    name: 'busy',
    agent: { ...busy, warnings: ['Secrets are kept in an encrypted file, because this machine has no keychain.'] },
    shows: 'Sending',
  },
  {
    name: 'details',
    agent: {
      ...busy,
      files: [
        sampleFile(),
        sampleFile({ id: 'f2', name: 'A001C002.mov', state: 'transferring', bytes: 900_000_000 }),
        sampleFile({ id: 'f3', name: 'a file with a rather long name, as they come from the set.mov', path, state: 'pending', bytes: 0 }),
        sampleFile({
          id: 'f4',
          name: 'notes.txt',
          path: '',
          size: 812,
          state: 'error',
          error: { code: 524291, message: 'It changed while it was being read.' },
        }),
      ],
    },
    act: (page) => page.getByRole('link', { name: 'Dailies, day 12' }).click(),
    shows: 'A001C002.mov',
  },
  {
    name: 'sent-package',
    agent: {
      ...busy,
      files: [
        sampleFile(),
        sampleFile({ id: 'f2', name: 'A001C002.mov' }),
        sampleFile({ id: 'f3', name: 'a file with a rather long name, as they come from the set.mov', path }),
        sampleFile({ id: 'f4', name: 'notes.txt', path: '', size: 812 }),
      ],
    },
    prepare(agent) {
      const link = {
        active: true,
        expiry: '2126-12-24T12:00:00.000Z',
        access_limit: 0,
        has_password: false,
        url: 'https://share.example.com/d/1',
      };
      agent.sent = {
        can_mail: true,
        links: [
          { ...link, id: 'l1', email: 'post@studio.example', downloads: 2, last_download_at: '2026-11-20T07:40:00.000Z' },
          { ...link, id: 'l2', email: 'colour@studio.example', downloads: 0, has_password: true, access_limit: 3 },
          { ...link, id: 'l3', email: '', active: false, downloads: 1, last_download_at: '2026-11-19T17:40:00.000Z' },
        ],
        downloads: [
          {
            ...{ email: 'post@studio.example', at: '2026-11-20T07:40:00.000Z' },
            what: { whole: false, files: 12, more: false, names: ['A001/A001C001.mov', 'A001/A001C002.mov', 'reports/day 12.pdf'] },
          },
          { email: 'post@studio.example', at: '2026-11-20T07:31:00.000Z', what: { whole: true, files: 0, more: false, names: [] } },
          { email: '', at: '2026-11-19T17:40:00.000Z' },
        ],
      };
    },
    async act(page) {
      await page.getByRole('link', { name: 'Trailer, final mix' }).click();
      await page.getByRole('button', { name: 'End the link for colour@studio.example' }).click();
      await page.getByText('notes.txt').waitFor();
    },
    shows: 'It cannot be taken up again.',
  },
  {
    name: 'sent-package-link',
    agent: busy,
    async act(page) {
      await page.getByRole('link', { name: 'Trailer, final mix' }).click();
      await page.getByRole('button', { name: 'Add a recipient' }).click();
      await page.getByLabel('For whom').fill('sound@studio.example');
    },
    shows: 'You pass it on yourself.',
  },
  {
    name: 'sent-package-expiry',
    agent: busy,
    async act(page) {
      await page.getByRole('link', { name: 'Trailer, final mix' }).click();
      await page.getByRole('button', { name: 'Change how long' }).click();
    },
    shows: 'Now until',
  },
  {
    name: 'sent-package-failed',
    agent: busy,
    prepare(agent) {
      agent.before = (called) => {
        if (called.endsWith('/package'))
          throw new ApiError('service_unreachable', { url: 'https://share.example.com', detail: 'the name is not known' });
      };
    },
    act: (page) => page.getByRole('link', { name: 'Trailer, final mix' }).click(),
    shows: 'The service at https://share.example.com cannot be reached',
  },
  {
    name: 'sent-package-found',
    agent: busy,
    prepare(agent) {
      agent.sent = {
        expiry: '2026-01-24T12:00:00.000Z',
        hold: { since: '2026-01-20T12:00:00.000Z', reason: 'Dispute with the insurer, 2026-117' },
        findings: [
          { kind: 'virus', files: 12, names: ['A001/reports/invoice.exe', 'A001/reports/a name that is far too long for a phone.scr'] },
          { kind: 'damaged', files: 1, names: ['A001/A001C001.mov'] },
          { kind: 'not_scanned', files: 1, names: ['A001/archive.zip'] },
        ],
      };
    },
    act: (page) => page.getByRole('link', { name: 'Trailer, final mix' }).click(),
    shows: 'its files are kept, although its time is over',
  },
  {
    name: 'selected',
    agent: busy,
    async act(page) {
      for (const name of ['Dailies, day 12', 'B-camera cards', 'Music stems']) {
        await page.getByRole('checkbox', { name: `Select ${name}` }).click();
      }
    },
    shows: '3 selected',
  },
  {
    name: 'cancel',
    agent: busy,
    act: (page) => page.getByRole('button', { name: 'Cancel: Dailies, day 12' }).click(),
    shows: 'will be cancelled',
  },
  {
    name: 'list-failed',
    agent: { session: sampleSession() },
    prepare(agent) {
      agent.listFailure = new AgentError('storage_full', { path: '/var/lib/longshore', missing: 4096 });
    },
    shows: 'Free some room',
  },
  {
    name: 'offline',
    agent: busy,
    async act(page, agent) {
      await page.getByText('Sending').first().waitFor();
      await agent.stop();
    },
    shows: 'Not connected to the agent.',
  },
  {
    name: 'needs-you',
    agent: { session: sampleSession({ teams }), transfers: [...manyKinds.filter(({ state }) => state !== 'error'), ...stuck] },
    act: (page) => page.getByRole('link', { name: 'Needs you' }).click(),
    shows: 'Disk full: 490 MB missing',
  },
  {
    name: 'needs-nobody',
    agent: { session: sampleSession({ teams }), transfers: manyKinds.filter(({ state }) => state !== 'error') },
    act: (page) => page.getByText('Needs you').click(),
    shows: 'Nothing needs you.',
  },
  {
    name: 'needs-you-one',
    agent: { session: sampleSession({ teams }), transfers: stuck },
    act: (page) => page.getByRole('link', { name: 'Plates, graded' }).click(),
    shows: 'Another folder',
  },
  {
    name: 'needs-you-folder',
    agent: { session: sampleSession({ teams }), transfers: stuck },
    act: (page) => page.getByRole('button', { name: 'Another folder: Plates, graded' }).click(),
    shows: 'It begins anew there.',
  },
  {
    name: 'unreachable',
    agent: { session: sampleSession({ teams }), transfers: manyKinds.map((one) => ({ ...one, service_url: 'https://share.example.com' })) },
    prepare(agent) {
      agent.unreachable = [sampleUnreachable({ transfers: 4 })];
    },
    shows: '4 transfers wait',
  },
  {
    name: 'unreachable-several',
    agent: { session: sampleSession({ teams }), transfers: manyKinds },
    prepare(agent) {
      const files = { service_url: 'https://files.northlight.example', reason: 'The service is starting or stopping. Try again soon.' };
      agent.unreachable = [sampleUnreachable({ transfers: 1 }), sampleUnreachable({ ...files, transfers: 0 })];
    },
    shows: 'share.example.com and files.northlight.example cannot be reached.',
  },
  {
    name: 'open-download',
    agent: { session: sampleSession() },
    act: (page) => opening(page, `longshore://download?${new URLSearchParams({ url: 'https://elsewhere.example/d/01JD3?secret=x' })}`),
    shows: 'So far this agent does not work with',
  },
  {
    name: 'open-portal',
    agent: { session: sampleSession() },
    act: (page) =>
      opening(
        page,
        `longshore://portal-upload?${new URLSearchParams({
          service: 'https://share.example.com',
          portal: 'northlight',
          name: 'Dailies, day 12',
          sender: 'mia@harbour.example',
          description: 'A and B camera from the yard, with the reference stills of every set-up.\nSound follows tonight.',
        })}`,
      ),
    shows: 'They go to the people behind this Portal',
  },
  {
    name: 'open-bad',
    agent: { session: sampleSession() },
    act: (page) => opening(page, 'longshore://download?url=http%3A%2F%2Felsewhere.example%2Fd%2F1%3Fsecret%3Dx'),
    shows: 'cannot be used',
  },
  { name: 'token', agent: { token: 'right' }, shows: 'This agent needs its token' },
  ...deadlineScenes,
  ...formScenes,
  ...mountScenes,
  ...automationEditorScenes,
  ...automationScenes,
];
