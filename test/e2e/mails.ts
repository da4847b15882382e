import { mailLanguages } from '#protocol/mail-languages.ts';
import { type AccountLetterFacts, accountLetter } from '#service/mail/account-letter.ts';
import { type Brand, plainBrand } from '#service/mail/brand.ts';
import { htmlPart } from '#service/mail/html-part.ts';

import { type LetterFacts, letterFor } from '#service/mail/letter.ts';
import { type LinkCodeFacts, linkCodeLetter } from '#service/mail/link-code-letter.ts';
import { type NoticeLetterFacts, noticeLetter } from '#service/mail/notice-letter.ts';
import { type PortalRequestFacts, portalRequestLetter } from '#service/mail/portal-request-letter.ts';
import { type QuotaLetterFacts, quotaLetter } from '#service/mail/quota-letter.ts';
import { type TransferLetterFacts, transferLetter } from '#service/mail/transfer-letter.ts';
import { harbour, northlight, sampleLetterFacts } from '#test/support/service/mail-facts.ts';

/** The service's messages, each as plain and as extreme as it comes, as HTML by name. */

const long = 'reel_2026-11-20_A001C001_really-long-name-that-nobody-can-break-'.repeat(4).slice(0, 250);
const link = `https://share.harbour-films.example.com/d/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b?secret=${'kQ3xZ9_'.repeat(6)}`;

const form = {
  name: 'Camera report',
  answers: [
    { label: 'Camera', text: 'A, B' },
    { label: 'Shooting day', text: '12' },
    {
      label: 'What should the lab know before it begins with the transfer of these cards?',
      text: 'Card 2 has the slate.\n\nCard 3 was dropped.',
    },
    { label: 'ملاحظات', text: 'الكاميرا الثانية بدون صوت' },
    { label: 'Website', text: `https://example.com/${'a'.repeat(180)}` },
  ],
};

const facts: Readonly<Record<string, Partial<LetterFacts>>> = {
  link: { link, description: 'Both cameras, sound follows tomorrow.\n\nBest\nMia', passwordNeeded: true },
  'link-extreme': {
    packageName: long,
    sender: `${'a-very-long-local-part-of-an-address-'.repeat(4)}@example.com`,
    description: `<b>Not bold</b> & "quoted"\n${'unbreakable'.repeat(40)}\n${'Many words make a long paragraph. '.repeat(30)}\nשלום עולם`,
    passwordNeeded: true,
    files: 1_234_567,
    bytes: Number.MAX_SAFE_INTEGER,
    expiry: null,
    link,
  },
  upload: { portal: { ...northlight, copy: true }, link, form, description: 'A and B camera', passwordNeeded: true },
  'upload-extreme': {
    portal: { name: long, copy: false },
    packageName: 'تصوير اليوم الثاني عشر',
    link,
    form,
    files: 1,
    bytes: 0,
  },
  'upload-white': { portal: { name: 'Day unit', copy: false }, link },
  'upload-black': { portal: { name: 'Night unit', copy: false }, link },
  receipt: { kind: 'receipt', link: null, recipients: ['post@example.com', 'lab@example.com'] },
  'receipt-extreme': {
    kind: 'receipt',
    link: null,
    packageName: long,
    recipients: Array.from({ length: 500 }, (_, n) => `recipient-number-${n}@a-rather-long-domain.example.com`),
  },
  'receipt-upload': { kind: 'receipt', link: null, portal: northlight },
};

const token = 'kQ3xZ9_'.repeat(6);
const until = new Date('2026-11-28T14:00:00Z');
const email = 'jonas.weber@harbour-films.example.com';
const invitation = {
  kind: 'invitation',
  team: 'Northlight Pictures',
  inviter: { name: 'Mia Sandberg', email: 'mia@harbour-films.example.com' },
  role: 'integration_manager',
  until,
  link: `https://share.harbour-films.example.com/invitation#${token}`,
} as const;
const aboutAccounts: Readonly<Record<string, AccountLetterFacts>> = {
  invitation,
  'invitation-extreme': {
    ...invitation,
    team: long,
    inviter: { name: 'تصوير <b>اليوم</b> الثاني عشر', email: `${'very-long-'.repeat(6)}@example.com` },
  },
  'password-reset': { kind: 'password_reset', email, until, link: `https://share.harbour-films.example.com/password#${token}` },
  'email-confirmation': { kind: 'email_confirmation', email, until, link: `https://share.harbour-films.example.com/email#${token}` },
  'email-change-asked': { kind: 'email_change_asked', email, at: until, link: 'https://share.harbour-films.example.com/password' },
  'password-changed': { kind: 'password_changed', email, at: until, link: 'https://share.harbour-films.example.com/password' },
  'email-changed': { kind: 'email_changed', email, at: until },
  'factor-added': { kind: 'factor_added', email, at: until, link: 'https://share.harbour-films.example.com/password' },
  'storage-damaged': { kind: 'storage_damaged', email, at: until, link: 'https://share.harbour-films.example.com/operator' },
};

const notice: NoticeLetterFacts = {
  kind: 'downloaded',
  packageName: 'Dailies, day 12',
  files: 3,
  bytes: 1_400_000_000,
  expiry: until,
  at: new Date('2026-11-21T09:30:00Z'),
  person: 'post@example.com',
  reason: { text: '', language: 'en' },
  page: 'https://share.harbour-films.example.com/t/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/packages/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c',
  after: 'deleted',
  stop: `https://share.harbour-films.example.com/unsubscribe#019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c.${token}`,
};
const notices: Readonly<Record<string, Partial<NoticeLetterFacts>>> = {
  downloaded: {},
  expires: { kind: 'expires', person: '' },
  'expires-held': { kind: 'expires', person: '', after: 'kept' },
  failed: { kind: 'failed', person: '', reason: { text: '550 5.1.1 No such mailbox: post@example.com', language: 'en' } },
  'failed-extreme': {
    kind: 'failed',
    packageName: long,
    reason: { text: `550 5.1.1 <b>No such mailbox</b> ${'unbreakable'.repeat(40)}`, language: 'en' },
    page: null,
  },
};

const quota: QuotaLetterFacts = {
  ...({ kind: 'storage', percent: 80, team: 'Northlight Pictures', portal: null, limit: 5e12, used: 4.1e12 } as const),
  at: new Date('2026-11-21T09:30:00Z'),
  page: 'https://share.harbour-films.example.com/t/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/packages',
};
const quotas: Readonly<Record<string, Partial<QuotaLetterFacts>>> = {
  'quota-storage': {},
  'quota-traffic-extreme': { kind: 'traffic', percent: 100, team: long, portal: long, used: 5e12 },
};

const codes: Readonly<Record<string, LinkCodeFacts>> = {
  'link-code': { code: '12345678', packageName: 'Dailies, day 12', sender: 'mia@harbour-films.example.com' },
  'link-code-extreme': { code: '00000000', packageName: long, sender: `${'very-long-'.repeat(6)}@example.com` },
};

const transfer: TransferLetterFacts = {
  ...{ packageName: 'Dailies, day 12', provider: 'Amazon S3', folder: 'Portal Downloads/Northlight dailies/Dailies, day 12' },
  ...{ files: 3, bytes: 1_400_000_000, failed: false, message: { text: '', language: 'en' } },
};
const transfers: Readonly<Record<string, Partial<TransferLetterFacts>>> = {
  transferred: {},
  'transfer-failed': {
    failed: true,
    folder: '',
    message: { text: 'The storage does not take these credentials. Enter them again.', language: 'en' },
  },
};

const request: PortalRequestFacts = {
  ...{ portal: 'Northlight dailies', team: 'Northlight Pictures', asker: { name: 'Mia Sandberg', email: 'mia@harbour-films.example.com' } },
  ...{ message: 'The B camera of day 12, please.\nThank you!', until, codeNeeded: true },
  link: 'https://share.harbour-films.example.com/p/northlight',
};

const plain = plainBrand('Longshore');
/** A logo of 160 × 40 px, dark on transparent. */
const logo = { url: 'https://share.harbour-films.example.com/images/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', width: 160, height: 40 };
export const logoUrl = logo.url;
const branded: Brand = { ...harbour, logo };
const brands: Readonly<Record<string, Brand>> = {
  'link-extreme': { ...branded, name: long.slice(0, 80), logo: null },
  upload: branded,
  'upload-extreme': { ...branded, color: '#ffee00', name: long.slice(0, 80) },
  'upload-white': { ...branded, color: '#ffffff' },
  'upload-black': { ...branded, color: '#000000', logo: null },
  'receipt-extreme': branded,
  'receipt-upload': branded,
  invitation: branded,
  downloaded: branded,
  'link-code': branded,
  expires: branded,
  'quota-storage': branded,
  failed: branded,
  transferred: branded,
  'portal-request': branded,
};
const brandOf = (name: string): Brand => brands[name] ?? plain;

/** Colours of a Team are alike in both. */
const languagesOf = (name: string) => (/white|black/.test(name) ? (['en'] as const) : mailLanguages);

export const mails: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(facts).flatMap(([name, some]) =>
    languagesOf(name).map((language) => [`${name}-${language}`, htmlPart(letterFor(sampleLetterFacts(some), language), brandOf(name))]),
  ),
  ...Object.entries(notices).flatMap(([name, some]) =>
    languagesOf(name).map((language) => [`${name}-${language}`, htmlPart(noticeLetter({ ...notice, ...some }, language), brandOf(name))]),
  ),
  ...Object.entries(transfers).flatMap(([name, some]) =>
    languagesOf(name).map((language) => [
      `${name}-${language}`,
      htmlPart(transferLetter({ ...transfer, ...some }, language, 'share.harbour-films.example.com'), brandOf(name)),
    ]),
  ),
  ...mailLanguages.map((language) => [
    `portal-request-${language}`,
    htmlPart(portalRequestLetter(request, language), brandOf('portal-request')),
  ]),
  ...Object.entries(quotas).flatMap(([name, some]) =>
    languagesOf(name).map((language) => [`${name}-${language}`, htmlPart(quotaLetter({ ...quota, ...some }, language), brandOf(name))]),
  ),
  ...Object.entries(codes).flatMap(([name, some]) =>
    languagesOf(name).map((language) => [`${name}-${language}`, htmlPart(linkCodeLetter(some, language), brandOf(name))]),
  ),
  ...Object.entries(aboutAccounts).flatMap(([name, some]) =>
    languagesOf(name).map((language) => [
      `${name}-${language}`,
      htmlPart(accountLetter(some, language, 'share.harbour-films.example.com'), brandOf(name)),
    ]),
  ),
]);
