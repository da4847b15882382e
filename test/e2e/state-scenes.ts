import type { Page } from 'playwright-core';
import { ApiError } from '#protocol/errors.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { sampleFile, sampleSession, sampleTeamUpload, sampleTransfer } from '#test/support/browser/samples.ts';
import { busyAutomations, knowMuch } from './automation-scenes.ts';
import { addPath, folders, go, openGet, openSend, past, sendAsLink } from './form-scenes.ts';
import type { Scene } from './scene.ts';

/** Every view in each of the states that it can be in but for the one where all is well, which the other scenes show. */

type View = 'transfers' | 'transfer' | 'automations' | 'automation' | 'history' | 'settings' | 'about' | 'send' | 'get' | 'folders';
type State = 'empty' | 'loading' | 'offline' | 'signedOut' | 'failed';
type Shown = Omit<Scene, 'name'>;
/** A scene; the name of one that shows it already; or why there is no such state. */
type Face = Shown | { readonly as: string } | { readonly none: string };

const signedIn = { session: sampleSession() } as const;
const link = 'https://share.example.com/d/01JD3?secret=abcdefgh';
const away = 'Not connected to the agent.';

/** Calls of these addresses are never answered. */
const holding = (addresses: RegExp) => (agent: FakeAgent) => {
  agent.before = (path) => (addresses.test(path) ? new Promise(() => {}) : undefined);
};
/** Calls of these addresses are refused. */
const refusing = (addresses: RegExp) => (agent: FakeAgent) => {
  agent.before = (path) => {
    if (addresses.test(path)) throw new ApiError('not_allowed', { detail: 'this token may not read it.' });
  };
};
const refused = 'this token may not read it.';

async function openTransfer(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  await page.evaluate(() => location.assign('#/transfers/transfer-1'));
}
async function openAutomations(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  await page.evaluate(() => location.assign('#/automations'));
}
async function openAutomation(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  await page.evaluate(() => location.assign('#/automations/automation-1'));
}
async function loseAgent(page: Page, agent: FakeAgent): Promise<void> {
  await agent.stop();
  await page.getByText(away).waitFor();
}
async function browse(page: Page): Promise<void> {
  await openSend(page);
  await page.getByRole('button', { name: 'Browse…' }).click();
}
async function askForLink(page: Page): Promise<void> {
  await page.getByLabel('Download link').fill(link);
  await page.keyboard.press('Enter');
}

const faces: Readonly<Record<View, Readonly<Record<State, Face>>>> = {
  transfers: {
    empty: { as: 'empty' },
    loading: { agent: signedIn, prepare: holding(/\/transfers$/), shows: 'Loading transfers…' },
    offline: { as: 'offline' },
    signedOut: { as: 'signed-out-with-download' },
    failed: { as: 'list-failed' },
  },
  transfer: {
    empty: {
      agent: { ...signedIn, transfers: [sampleTransfer({ state: 'queued', bytes: 0, total_bytes: 0, files: 0, total_files: 0 })] },
      act: openTransfer,
      shows: 'No file was found yet.',
    },
    loading: {
      agent: { ...signedIn, transfers: [sampleTransfer()] },
      prepare: holding(/\/transfers\/transfer-1$/),
      act: openTransfer,
      shows: 'Loading…',
    },
    offline: {
      agent: { ...signedIn, transfers: [sampleTransfer()] },
      async act(page, agent) {
        await page.getByText('Sending').first().waitFor();
        await loseAgent(page, agent);
        await openTransfer(page);
      },
      shows: 'It shows here as soon as the agent answers.',
    },
    signedOut: {
      agent: { transfers: [sampleTransfer({ kind: 'download', dst_folder: '/media/incoming' })], files: [sampleFile()] },
      act: openTransfer,
      shows: 'Into',
    },
    failed: {
      agent: { ...signedIn, transfers: [sampleTransfer()] },
      prepare: refusing(/\/transfers\/transfer-1$/),
      act: openTransfer,
      shows: refused,
    },
  },
  automations: {
    empty: { as: 'automations-empty' },
    loading: { agent: signedIn, prepare: holding(/\/automations$/), act: openAutomations, shows: 'Loading automations…' },
    offline: {
      agent: signedIn,
      prepare: holding(/\/automations$/),
      async act(page, agent) {
        await openAutomations(page);
        await loseAgent(page, agent);
      },
      shows: 'It shows here as soon as the agent answers.',
    },
    signedOut: { agent: { automations: busyAutomations }, prepare: knowMuch, act: openAutomations, shows: 'Camera cart' },
    failed: { agent: signedIn, prepare: refusing(/\/automations$/), act: openAutomations, shows: refused },
  },
  automation: {
    empty: { agent: { ...signedIn, automations: [sampleTeamUpload()] }, act: openAutomation, shows: 'Nothing yet.' },
    loading: { agent: signedIn, prepare: holding(/\/automations$/), act: openAutomation, shows: 'Loading…' },
    offline: {
      agent: { ...signedIn, automations: [sampleTeamUpload()] },
      async act(page, agent) {
        await openAutomation(page);
        await page.getByText('/media/renders').first().waitFor();
        await loseAgent(page, agent);
      },
      shows: away,
    },
    signedOut: { none: 'it looks the same: its Team is only named' },
    failed: {
      agent: { ...signedIn, automations: [sampleTeamUpload()] },
      prepare: refusing(/\/automations\/[^/]+\/(results|ledger)$/),
      act: openAutomation,
      shows: refused,
    },
  },
  history: {
    empty: { as: 'history-empty' },
    loading: { agent: signedIn, prepare: holding(/\/transfers$/), act: (page) => go(page, 'History'), shows: 'Loading the history…' },
    offline: {
      agent: { ...signedIn, transfers: past },
      async act(page, agent) {
        await go(page, 'History');
        await page.getByText('Music stems').waitFor();
        await loseAgent(page, agent);
      },
      shows: away,
    },
    signedOut: { agent: { transfers: past }, act: (page) => go(page, 'History'), shows: 'Music stems' },
    failed: { agent: signedIn, prepare: refusing(/\/transfers$/), act: (page) => go(page, 'History'), shows: refused },
  },
  settings: {
    empty: { none: 'there are always settings' },
    loading: { agent: signedIn, prepare: holding(/\/settings$/), act: (page) => go(page, 'Settings'), shows: 'Loading…' },
    offline: {
      agent: signedIn,
      async act(page, agent) {
        await go(page, 'Settings');
        await page.getByRole('heading', { name: 'Speed limits' }).waitFor();
        await loseAgent(page, agent);
        await page.getByLabel('Keep in the history').fill('7');
        await page.keyboard.press('Enter');
      },
      shows: 'The agent does not answer.',
    },
    signedOut: { agent: {}, act: (page) => go(page, 'Settings'), shows: 'Speed limits' },
    failed: { agent: signedIn, prepare: refusing(/\/settings$/), act: (page) => go(page, 'Settings'), shows: refused },
  },
  about: {
    empty: { none: 'it always has a version' },
    loading: { agent: signedIn, prepare: holding(/\/status$/), act: (page) => go(page, 'About'), shows: 'Loading…' },
    offline: {
      agent: signedIn,
      async act(page, agent) {
        await go(page, 'About');
        await page.getByText('Running since').waitFor();
        await loseAgent(page, agent);
        await page.getByRole('button', { name: 'Make a support bundle' }).click();
      },
      shows: 'The agent does not answer.',
    },
    signedOut: { agent: {}, act: (page) => go(page, 'About'), shows: 'Running since' },
    failed: { agent: signedIn, prepare: refusing(/\/status$/), act: (page) => go(page, 'About'), shows: refused },
  },
  send: {
    empty: { agent: signedIn, act: openSend, shows: 'How long, and how often' },
    loading: {
      agent: signedIn,
      prepare: holding(/\/uploads$/),
      async act(page) {
        await openSend(page);
        await addPath(page, '/media/A001');
        await sendAsLink(page);
      },
      shows: 'Looking at the files…',
    },
    offline: {
      agent: signedIn,
      async act(page, agent) {
        await openSend(page);
        await addPath(page, '/media/A001');
        await page.getByRole('radio', { name: 'As a link' }).check();
        await agent.stop();
        await sendAsLink(page);
      },
      shows: 'The agent does not answer. Check that it is still running on its machine.',
    },
    signedOut: {
      agent: {},
      async act(page) {
        await openSend(page);
        await page.getByRole('radio', { name: 'By e-mail' }).check();
      },
      shows: 'Through a Portal you can send without an account.',
    },
    failed: { as: 'send-failed' },
  },
  get: {
    empty: { agent: signedIn, act: openGet, shows: 'Download link' },
    loading: {
      agent: signedIn,
      prepare: holding(/\/links\/preview$/),
      async act(page) {
        await openGet(page);
        await askForLink(page);
      },
      shows: 'Opening the link…',
    },
    offline: {
      agent: signedIn,
      async act(page, agent) {
        await openGet(page);
        await page.getByLabel('Download link').waitFor();
        await agent.stop();
        await askForLink(page);
      },
      shows: 'The agent does not answer. Check that it is still running on its machine.',
    },
    signedOut: { agent: {}, act: openGet, shows: 'Download link' },
    failed: {
      agent: signedIn,
      prepare(agent) {
        agent.previewLink = () => {
          throw new ApiError('service_unreachable', { url: 'https://share.example.com', detail: 'the name is not known' });
        };
      },
      async act(page) {
        await openGet(page);
        await askForLink(page);
      },
      shows: 'The service at https://share.example.com cannot be reached: the name is not known.',
    },
  },
  folders: {
    empty: {
      agent: signedIn,
      prepare(agent) {
        agent.folders = [{ path: '/home/mia', parent: null, roots: ['/home/mia'], entries: [], truncated: false }];
      },
      act: browse,
      shows: 'This folder is empty.',
    },
    loading: { agent: signedIn, prepare: holding(/\/folders$/), act: browse, shows: 'Looking into the folder…' },
    offline: {
      agent: signedIn,
      prepare(agent) {
        agent.folders = folders;
      },
      async act(page, agent) {
        await browse(page);
        await page.getByRole('button', { name: 'Open Downloads' }).waitFor();
        await agent.stop();
        await page.getByRole('button', { name: 'Open Dailies' }).click();
      },
      shows: 'The agent does not answer. Check that it is still running on its machine.',
    },
    signedOut: { none: 'it looks the same to whoever sends through a Portal' },
    failed: { agent: signedIn, prepare: refusing(/\/folders$/), act: browse, shows: refused },
  },
};

const named = Object.entries(faces).flatMap(([view, states]) =>
  Object.entries(states).map(([state, face]) => [`${view}-${state === 'signedOut' ? 'signed-out' : state}`, face] as const),
);

/** Scenes that others tell, by the state that they are. */
export const toldElsewhere: readonly string[] = named.flatMap(([, face]) => ('as' in face ? [face.as] : []));

export const stateScenes: readonly Scene[] = [
  ...named.flatMap(([name, face]) => ('shows' in face ? [{ name, ...face }] : [])),
  {
    name: 'transfer-gone',
    agent: signedIn,
    act: openTransfer,
    shows: 'This transfer is not on the list',
  },
  {
    name: 'automation-gone',
    agent: signedIn,
    act: openAutomation,
    shows: 'This automation is not there any more',
  },
  {
    name: 'transfers-none-found',
    agent: { ...signedIn, transfers: past },
    async act(page) {
      await page.getByRole('searchbox').fill('nothing like it');
    },
    shows: 'No transfer matches',
  },
  {
    name: 'history-none-found',
    agent: { ...signedIn, transfers: past },
    async act(page) {
      await go(page, 'History');
      await page.getByLabel('Search names, recipients, Portals and files').fill('nothing like it');
    },
    shows: 'Nothing in the history has that in its name, its recipients, its Portal or its files.',
  },
  {
    name: 'folders-none-found',
    agent: signedIn,
    prepare(agent) {
      agent.folders = folders;
    },
    async act(page) {
      await browse(page);
      await page.getByLabel('Find in this folder').fill('nothing like it');
    },
    shows: 'Nothing in this folder has that name.',
  },
];
