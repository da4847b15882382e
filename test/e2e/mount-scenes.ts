import type { Page } from 'playwright-core';
import { AgentError } from '#protocol/errors.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { sampleMount, sampleSession, sampleTeam } from '#test/support/browser/samples.ts';
import { go } from './form-scenes.ts';
import type { Scene } from './scene.ts';

const teams = [sampleTeam(), sampleTeam({ id: 'team-2', name: 'Northlight Sound', subdomain: 'northlight' })];
const signedIn = { session: sampleSession({ teams }) } as const;
const toMounts = async (page: Page): Promise<void> => {
  await go(page, 'Settings');
  await page.getByRole('heading', { name: 'Mounts' }).scrollIntoViewIfNeeded();
};
const hasMounts = ({ mounts }: FakeAgent): void => {
  mounts.connections = [
    { id: 'connection-1', name: 'Dailies NAS', provider: 'synology_sg', direction: 'service_to_cloud', state: 'ok' },
    { id: 'connection-2', name: 'Archive', provider: 'storage_gateway', direction: 'cloud_to_service', state: 'offline' },
    { id: 'connection-3', name: 'Edit suite 4', provider: 'qnap_sg', direction: 'service_to_cloud', state: 'offline' },
  ];
  const reason = 'The folder /mnt/archive/2026/deliveries/masters does not answer. Check its server and the network; it goes on by itself.';
  mounts.all.set('mount-1', sampleMount({ tasks: 2 }));
  mounts.all.set(
    'mount-2',
    sampleMount({
      id: 'mount-2',
      name: 'Archive',
      team_id: 'team-2',
      cloud_connection_id: 'connection-2',
      path: '/mnt/archive/2026/deliveries/masters',
      read_only: true,
      state: 'offline',
      reason,
      free_bytes: null,
    }),
  );
  mounts.check = () => ({
    ok: false,
    steps: [
      { step: 'put', ok: false, message: 'The disk of /mnt/nas/dailies is full. Make room on it.' },
      { step: 'list', ok: true, message: '' },
    ],
  });
};

export const mountScenes: readonly Scene[] = [
  { name: 'mounts-empty', agent: signedIn, act: toMounts, shows: 'No folder is a mount yet.' },
  { name: 'mounts-signed-out', agent: {}, act: toMounts, shows: 'A mount belongs to a Team. Sign in to add one.' },
  {
    name: 'mounts',
    agent: signedIn,
    prepare: hasMounts,
    async act(page) {
      await toMounts(page);
      await page.getByRole('button', { name: 'Check: Dailies NAS' }).click();
      await page.getByRole('button', { name: 'Remove: Archive' }).click();
    },
    shows: 'It does not work yet.',
  },
  {
    name: 'mount-new',
    agent: signedIn,
    prepare(agent) {
      hasMounts(agent);
      agent.mounts.look = () => {
        throw new AgentError('folders_overlap', { folder: '/media/cart', other: '/media', detail: 'the automation "Cart"' });
      };
    },
    async act(page) {
      await toMounts(page);
      await page.getByRole('button', { name: 'Add a mount' }).click();
      await page.getByRole('form', { name: 'New mount' }).getByRole('textbox', { name: 'Folder' }).fill('/media/cart');
      await page.getByRole('button', { name: 'Add it' }).click();
    },
    shows: 'lie in each other',
  },
  {
    name: 'mounts-german',
    agent: signedIn,
    prepare(agent) {
      agent.settings = { ...agent.settings, language: 'de' };
      hasMounts(agent);
    },
    async act(page) {
      await page.getByRole('link', { name: 'Einstellungen' }).click();
      await page.getByRole('button', { name: 'Prüfen: Dailies NAS' }).click();
      await page.getByRole('button', { name: 'Ändern: Archive' }).click();
    },
    shows: 'Es klappt noch nicht.',
  },
];
