import type { Page } from 'playwright-core';
import { type LinkedPackage, linkedPackage, linkTo, listFiles } from '#test/support/service/download-link.ts';
import { managing, putPackage } from '#test/support/service/packages.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, senderOf } from '#test/support/service/sender.ts';
import type { TestService } from '#test/support/service/start-service.ts';

/** What a scene's steps work with. */
export interface DownloadStage {
  readonly page: Page;
  /** Bytes a second that the storage gives; 0: as fast as it can. */
  setRate(rate: number): void;
}

/** Every face of the download page: what its link leads to, and what to do to get there. */
export interface DownloadScene {
  readonly name: string;
  readonly make: (t: TestService) => Promise<Pick<LinkedPackage, 'link'>>;
  /** Another address than the link's. */
  readonly address?: (url: string) => string;
  readonly act?: (stage: DownloadStage) => Promise<void>;
  /** A text that is there when the scene is. */
  readonly shows: string;
  /** Asks for German. */
  readonly german?: boolean;
  /** Turns the page round, as for Arabic. */
  readonly rightToLeft?: boolean;
}

/** A picture of a few colours: 4 × 3 squares. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAIAAAA7ljmRAAAAJUlEQVR42mNkYPj/n4GBgYGJAQoY4SwWBgaG/wwMDIwMDAyMDAwAdSkDA9IMKPQAAAAASUVORK5CYII=',
  'base64',
);
export const script = `SCENE 12 — HARBOUR, NIGHT\n\nRain on the quay. MIA counts the crates.\n\n${'MIA: Forty-one. There should be forty-two.\n'.repeat(40)}`;

/** Half a second of silence, as a WAV file. */
export function silence(): Buffer {
  const samples = 4_000;
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8_000, 24);
  wav.writeUInt32LE(16_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
  return wav;
}

export const delivery = (): Record<string, Uint8Array | string> => ({
  'A001/A001C001_261120_R2K1.mov': Buffer.alloc(1_800_000, 1),
  'A001/A001C002_261120_R2K1.mov': Buffer.alloc(900_000, 2),
  'A001/audio/T003.wav': silence(),
  'stills/quay.png': picture,
  'reports/script.txt': script,
  'reports/camera report day 12.pdf': Buffer.alloc(48_000, 4),
});

const day12 = (t: TestService) =>
  linkedPackage(t, delivery(), {
    package: {
      name: 'Northlight, day 12: picture, sound and reports',
      description: 'A and B camera from the yard.\nThe sound of take 3 is the wild track.',
    },
    folders: ['stills/polaroids'],
  });

async function manyFiles(t: TestService): Promise<LinkedPackage> {
  const id = await putPackage(t, { name: 'VFX plates, sequences 10 to 3000' });
  const paths = Array.from({ length: 5_000 }, (_, index) => {
    const folder = Math.floor(index / 17);
    return `plates/seq_${String((folder + 1) * 10).padStart(4, '0')}/plate.${String(1_001 + (index % 17))}.exr`;
  });
  await listFiles(t, id, paths, 53_000_000);
  return linkTo(t, senderOf(t, { ...(await newSender(t)).package, id }, {}));
}

/** A package through a Portal that has a colour of its own. */
async function dressed(t: TestService): Promise<LinkedPackage> {
  const portal = await newPortal(t, { name: 'Northlight dailies', primary_color: '#7a2e8f' });
  return linkedPackage(t, delivery(), { sender: await portalSender(t, portal.id, { name: 'Day 12', sender: 'mia@harbour.example' }) });
}

const withVirus = async (t: TestService): Promise<LinkedPackage> => {
  const made = await day12(t);
  const file = made.files.get('reports/camera report day 12.pdf')!;
  await t.service.services.db.updateTable('files').set({ virus_detected: true }).where('id', '=', file.id).execute();
  return made;
};

const withDamage = async (t: TestService): Promise<LinkedPackage> => {
  const made = await day12(t);
  const { id, name } = made.files.get('reports/camera report day 12.pdf')!;
  const package_id = made.sender.package.id;
  await t.service.services.db
    .insertInto('integrity_findings')
    .values({
      ...{ kind: 'damaged', key: id, path: '', size: '1', team_id: t.teamId, package_id, package_name: 'Day 12', file_id: id },
      ...{ file_name: name, detail: '', found_at: t.service.services.now() },
    })
    .execute();
  return made;
};

/** For links that don't open, one file is enough. */
const little = (t: TestService) => linkedPackage(t, { 'a.txt': 'a' });

const disabled = async (t: TestService): Promise<LinkedPackage> => {
  const made = await little(t);
  await t.service.services.db.updateTable('links').set({ disabled_at: new Date() }).where('id', '=', made.link.id).execute();
  return made;
};

const ended = async (t: TestService, what: 'links' | 'packages'): Promise<LinkedPackage> => {
  const made = await little(t);
  const { db } = t.service.services;
  const past = new Date(Date.now() - 60_000);
  if (what === 'links') await db.updateTable('links').set({ expiry: past }).where('id', '=', made.link.id).execute();
  else await db.updateTable('packages').set({ expiry: past }).where('id', '=', made.sender.package.id).execute();
  return made;
};

const deleted = async (t: TestService): Promise<LinkedPackage> => {
  const made = await little(t);
  const { id } = made.sender.package;
  await t.call('DELETE', `/v1/packages/${id}`, { headers: await managing(t, id) });
  return made;
};

const usedUp = async (t: TestService): Promise<LinkedPackage> => {
  const sender = await newSender(t, { name: 'Day 12' });
  const made = await linkedPackage(t, { 'a.txt': 'a' }, { sender, link: { access_limit: 1 } });
  await t.service.services.db.updateTable('links').set({ accesses: 1 }).where('id', '=', made.link.id).execute();
  return made;
};

const unfinished = async (t: TestService): Promise<LinkedPackage> => linkTo(t, await newSender(t, { name: 'Day 12' }));

/** Lets the page save into the browser's own private folder: a picker's dialog cannot be worked from outside. */
export async function pickPrivateFolder(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(window, {
      showDirectoryPicker: async () => (await navigator.storage.getDirectory()).getDirectoryHandle('Downloads', { create: true }),
    });
  });
}

const preview =
  (name: string) =>
  async ({ page }: DownloadStage): Promise<void> => {
    await page.getByRole('button', { name: `Look at ${name}` }).click();
    // How many there are is for the browser to say: not every one shows PDF and films.
    await page
      .getByRole('dialog')
      .getByText(/^\d of \d$/)
      .waitFor();
  };

const saveSlowly = async ({ page, setRate }: DownloadStage): Promise<void> => {
  setRate(300_000);
  await page.getByRole('button', { name: 'Save into a folder' }).click();
  await page.getByText(/MB of/).waitFor();
};

export const downloadScenes: readonly DownloadScene[] = [
  { name: 'package', make: day12, shows: 'Other ways to get it' },
  { name: 'package-german', make: day12, german: true, shows: 'Andere Wege' },
  { name: 'right-to-left', make: day12, rightToLeft: true, shows: 'Other ways to get it' },
  { name: 'dressed', make: dressed, shows: 'Other ways to get it' },
  {
    name: 'choice',
    make: day12,
    async act({ page }) {
      await page
        .getByRole('treeitem', { name: /^stills/ })
        .locator('.tree-box')
        .click();
      await page
        .getByRole('treeitem', { name: /^script\.txt/ })
        .locator('.tree-box')
        .click();
      await page.getByRole('button', { name: 'Download choice as zip' }).click();
    },
    shows: 'has begun',
  },
  { name: 'one-file', make: (t) => linkedPackage(t, { 'A001C001.mov': Buffer.alloc(1_000) }), shows: 'Other ways to get it' },
  { name: 'many', make: manyFiles, shows: '5,000 files' },
  {
    name: 'search',
    make: manyFiles,
    async act({ page }) {
      await page.getByRole('searchbox').fill('seq_0120 1012');
    },
    shows: 'Found: 1 file',
  },
  { name: 'virus', make: withVirus, shows: 'A virus was found' },
  { name: 'damaged', make: withDamage, shows: 'is damaged' },
  { name: 'damaged-german', make: withDamage, shows: 'beschädigt', german: true },
  {
    name: 'password',
    make: (t) => linkedPackage(t, { 'a.txt': 'a' }, { link: { password: 'harbour 12' } }),
    shows: 'This link has a password',
  },
  {
    name: 'password-wrong',
    make: (t) => linkedPackage(t, { 'a.txt': 'a' }, { link: { password: 'harbour 12' } }),
    async act({ page }) {
      await page.getByLabel('Password').fill('harbour 13');
      await page.keyboard.press('Enter');
    },
    shows: 'This password is wrong',
  },
  { name: 'expired', make: (t) => ended(t, 'links'), shows: 'This link has expired' },
  { name: 'package-expired', make: (t) => ended(t, 'packages'), shows: 'The time of these files is over' },
  { name: 'package-deleted', make: deleted, shows: 'These files have been deleted' },
  { name: 'disabled', make: disabled, shows: 'This link has been disabled' },
  { name: 'used-up', make: usedUp, shows: 'This link has been used up' },
  { name: 'unfinished', make: unfinished, shows: 'Still on its way' },
  { name: 'unknown', make: little, address: (url) => url.replace(/secret=.*/, 'secret=wrong'), shows: 'This link does not work' },
  { name: 'incomplete', make: little, address: (url) => url.replace(/\?.*/, ''), shows: 'This link is not whole' },
  { name: 'preview-picture', make: day12, act: preview('stills/quay.png'), shows: 'quay.png' },
  { name: 'preview-text', make: day12, act: preview('reports/script.txt'), shows: 'Rain on the quay' },
  { name: 'preview-sound', make: day12, act: preview('A001/audio/T003.wav'), shows: 'T003.wav' },
  { name: 'preview-none', make: day12, act: preview('A001/A001C001_261120_R2K1.mov'), shows: 'This browser cannot show' },
  { name: 'saving', make: day12, act: saveSlowly, shows: 'Keep this tab open' },
  {
    name: 'saving-paused',
    make: dressed,
    async act(stage) {
      await saveSlowly(stage);
      await stage.page.getByRole('button', { name: 'Pause' }).click();
    },
    shows: 'is paused',
  },
  {
    name: 'saving-unfinished',
    make: day12,
    async act(stage) {
      await saveSlowly(stage);
      await stage.page.reload();
    },
    shows: 'You have not finished saving',
  },
  {
    name: 'saved',
    make: day12,
    async act({ page }) {
      await page.getByRole('button', { name: 'Save into a folder' }).click();
    },
    shows: 'Every byte was checked',
  },
  {
    name: 'saved-not-all',
    make: withVirus,
    async act({ page }) {
      await page.getByRole('button', { name: 'Save into a folder' }).click();
    },
    shows: 'but not all of it',
  },
];
