import type { Page } from 'playwright-core';
import type { FormField } from '#protocol/hosted/forms.ts';
import type { CreatePortal } from '#protocol/hosted/portals.ts';
import { formField } from '#test/support/service/portals.ts';

/** What a scene's steps work with. */
export interface PortalStage {
  readonly page: Page;
  /** A folder with a few files of several sizes. */
  readonly folder: string;
  /** Bytes a second that the storage takes; 0: as fast as it can. */
  setRate(rate: number): void;
  /** The largest request in bytes that the storage has room for. */
  setRoom(bytes: number): void;
}

/** Every face of the upload page: what its Portal is like, and what to do to get there. */
export interface PortalScene {
  readonly name: string;
  readonly portal: Partial<CreatePortal>;
  readonly form?: readonly FormField[];
  readonly act?: (stage: PortalStage) => Promise<void>;
  /** A text that is there when the scene is. */
  readonly shows: string;
  /** Asks for German. */
  readonly german?: boolean;
}

/** One of each type and visibility. */
export const everyField: readonly FormField[] = [
  formField('title', { label: 'Title of the delivery', type: 'package_name', visibility: 'required', position: 1 }),
  formField('from', { label: 'Your e-mail', type: 'sender_email', visibility: 'required', position: 2 }),
  formField('about', { label: 'What is it?', type: 'package_description', position: 3 }),
  formField('camera', {
    label: 'Camera',
    type: 'dropdown',
    visibility: 'required',
    position: 4,
    options: ['A', 'B', 'Drone'],
    default_value: 'B',
  }),
  formField('unit', { label: 'Unit', type: 'radio', visibility: 'required', position: 5, options: ['Main', 'Second'] }),
  formField('contents', {
    label: 'Contents',
    type: 'checkbox',
    position: 6,
    options: ['Picture', 'Sound', 'Stills'],
    default_value: 'Picture',
  }),
  formField('checked', { label: 'Checksums were compared', type: 'checkbox', visibility: 'required', position: 7 }),
  formField('day', { label: 'Day of the shoot', type: 'date', visibility: 'required', position: 8 }),
  formField('slate', { label: 'Slate', type: 'short_text', position: 9, default_value: '12A' }),
  formField('notes', { label: 'Notes', type: 'long_text', position: 10 }),
  formField('rolls', { label: 'Rolls', type: 'number', position: 11 }),
  formField('report', { label: 'Camera report', type: 'url', position: 12 }),
  formField('contact', { label: 'Contact on set', type: 'email', position: 13 }),
  formField('production', { label: 'Production', type: 'short_text', visibility: 'readonly', position: 14, default_value: 'Northlight' }),
  formField('cost_centre', { label: 'Cost centre', type: 'short_text', visibility: 'hidden', position: 15, default_value: '4711' }),
];

/** A Portal with everything that a Portal can have. */
const dressed: Partial<CreatePortal> = {
  name: 'Northlight dailies',
  message: 'Please send all of the day: picture, sound and reports.\nQuestions: Mia, extension 12.',
  primary_color: '#7a2e8f',
  package_size_restriction_enabled: true,
  max_file_size: 500_000_000_000,
  max_file_count: 2_000,
  max_package_size: 2_000_000_000_000,
  file_type_restriction_enabled: true,
  file_types: ['.mov', '.mxf', '.wav', '.txt', '.xml'],
  terms_of_service_enabled: true,
  terms_of_service: {
    title: 'Terms of delivery',
    description: 'What you send stays with the production.\nNothing of it may be shown to others.',
    checkbox_label: 'I agree to the terms of delivery',
    checkbox_url: 'https://example.com/terms',
  },
};

export async function chooseFiles(page: Page, folder: string): Promise<void> {
  await page.locator('input[data-kind=folder]').setInputFiles(folder);
}

export async function fillDetails(page: Page): Promise<void> {
  await page.getByLabel('Your e-mail address').fill('mia@harbour.example');
  await page.getByLabel('Name of the package').fill('Day 12');
}

export async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Send / }).click();
}

const sendSlowly = async ({ page, folder, setRate }: PortalStage): Promise<void> => {
  setRate(400_000);
  await chooseFiles(page, folder);
  await fillDetails(page);
  await send(page);
  await page
    .getByText(/% |MB of/)
    .first()
    .waitFor();
};

export const portalScenes: readonly PortalScene[] = [
  { name: 'plain', portal: {}, shows: 'Drop files and folders here' },
  { name: 'dressed', portal: dressed, shows: 'Terms of delivery' },
  { name: 'dressed-german', portal: dressed, german: true, shows: 'Was diese Seite annimmt' },
  {
    name: 'form',
    portal: { name: 'Camera report' },
    form: everyField,
    async act({ page }) {
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    },
    shows: 'Some of it is missing or wrong.',
  },
  {
    name: 'chosen',
    portal: dressed,
    act: ({ page, folder }) => chooseFiles(page, folder),
    shows: 'Remove all',
  },
  {
    name: 'refused',
    portal: { ...dressed, file_types: ['.mov'], max_file_count: 1 },
    act: ({ page, folder }) => chooseFiles(page, folder),
    shows: 'This type is not taken here',
  },
  ...[false, true].map((german) => ({
    name: german ? 'hand-over-german' : 'hand-over',
    portal: { name: 'Northlight dailies', primary_color: '#7a2e8f' },
    german,
    act: ({ page }: PortalStage) => page.locator('.hand-over a').click(),
    shows: german ? 'Keine App hat sich geöffnet?' : 'No app has opened?',
  })),
  { name: 'code', portal: { ...dressed, access_code: 'harbour 12' }, shows: 'This page has an access code' },
  {
    name: 'code-wrong',
    portal: { access_code: 'harbour 12' },
    async act({ page }) {
      await page.getByLabel('Access code').fill('harbour 13');
      await page.keyboard.press('Enter');
    },
    shows: 'This access code is wrong.',
  },
  { name: 'inactive', portal: { active: false }, shows: 'This page takes no files now' },
  { name: 'expired', portal: { expiry_enabled: true, expiry: '2026-01-31T12:00:00.000Z' }, shows: 'This page has closed' },
  { name: 'sending', portal: { name: 'Northlight dailies' }, act: sendSlowly, shows: 'Keep this tab open.' },
  {
    name: 'paused',
    portal: { name: 'Northlight dailies', primary_color: '#ffd23f' },
    async act(stage) {
      await sendSlowly(stage);
      await stage.page.getByRole('button', { name: 'Pause' }).click();
    },
    shows: 'is paused',
  },
  {
    name: 'offline',
    portal: { name: 'Northlight dailies' },
    async act(stage) {
      await sendSlowly(stage);
      await stage.page.context().setOffline(true);
    },
    shows: 'No connection.',
  },
  ...[false, true].map((german) => ({
    name: german ? 'storage-full-german' : 'storage-full',
    portal: { name: 'Northlight dailies' },
    german,
    async act({ page, folder, setRoom }: PortalStage) {
      setRoom(600_000);
      await chooseFiles(page, folder);
      await page.getByLabel(german ? 'Ihre E-Mail-Adresse' : 'Your e-mail address').fill('mia@harbour.example');
      await page.getByLabel(german ? 'Name des Pakets' : 'Name of the package').fill('Day 12');
      await page.getByRole('button', { name: german ? / senden, / : /^Send / }).click();
    },
    shows: german ? 'Sobald wieder Platz ist' : 'as soon as there is room',
  })),
  {
    name: 'unfinished',
    portal: { name: 'Northlight dailies' },
    async act(stage) {
      await sendSlowly(stage);
      await stage.page.reload();
    },
    shows: 'You have not finished sending',
  },
  {
    name: 'choose-again',
    portal: { name: 'Northlight dailies' },
    async act(stage) {
      await sendSlowly(stage);
      await stage.page.reload();
      await stage.page.getByRole('button', { name: 'Go on' }).click();
    },
    shows: 'To be chosen again',
  },
  {
    name: 'receipt',
    portal: { name: 'Northlight dailies' },
    async act({ page, folder }) {
      await chooseFiles(page, folder);
      await fillDetails(page);
      await send(page);
    },
    shows: 'All sent',
  },
];
