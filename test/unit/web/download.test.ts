import { describe, expect, it } from 'vitest';
import { ApiError, type ErrorName } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import { unsetDateTime } from '#protocol/limits.ts';
import { createDownloadApi, ServiceFailure } from '#web/download/api.ts';
import { linkOfPage } from '#web/download/link-of-page.ts';
import { expiryWords, viewOfFailure, viewOfPackage, zipFor } from '#web/download/view.ts';

const link: LinkInfo = {
  id: 'l1',
  name: 'Dailies',
  expiry: unsetDateTime,
  package_id: 'p/1',
  package_size: 3,
  package_token: 'read-token',
  recipient_email: '',
  sender_email: 'mia@example.com',
  branding: { primary_color: '' },
};
const file = (change: Partial<File>): File => ({
  id: 'f1',
  kind: 'file',
  name: 'a.mov',
  path: '',
  last_modified: unsetDateTime,
  virus_detected: false,
  ...change,
});

describe('linkOfPage', () => {
  it.each([
    ['https://x.example/d/01JD?secret=s3', { linkId: '01JD', secret: 's3' }],
    ['https://x.example/behind/a/prefix/d/01JD/?secret=a%2Bb', { linkId: '01JD', secret: 'a+b' }],
    ['https://x.example/d/01JD', null],
    ['https://x.example/d/?secret=s3', null],
    ['https://x.example/d/%E0%A4?secret=s3', null],
  ])('%s', (address, expected) => {
    expect(linkOfPage(new URL(address))).toEqual(expected);
  });
});

describe('the download API', () => {
  function planned(answer: Response | Error) {
    const asked: { url: string; init: RequestInit }[] = [];
    const api = createDownloadApi(async (input, init = {}) => {
      asked.push({ url: String(input), init });
      if (answer instanceof Error) throw answer;
      return answer;
    });
    return { api, asked };
  }

  it('opens the link without referrer or cookies, and with the password where there is one', async () => {
    const { api, asked } = planned(Response.json(link));
    expect(await api.openLink('l 1', 's&3', 'pass')).toEqual(link);
    expect(asked).toEqual([
      {
        url: '/v1/links/l%201?secret=s%263',
        init: { headers: { 'x-link-password': 'pass' }, cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' },
      },
    ]);
  });

  it('asks for an address with the read token', async () => {
    const { api, asked } = planned(Response.json({ method: 'GET', url: 'https://storage.example/x' }));
    expect(await api.addressOf(link, 'f/1')).toBe('https://storage.example/x');
    expect(asked[0]).toMatchObject({
      url: '/v1/packages/p%2F1/files/f%2F1/download',
      init: { headers: { 'x-package-token': 'read-token' } },
    });
  });

  it.each([
    ['a refused connection', new TypeError('Failed to fetch'), 'unreachable'],
    ['a proxy’s page', new Response('<h1>Bad gateway</h1>', { status: 502 }), 'unreachable'],
    ['an error of the catalogue', Response.json(new ApiError('link_expired').body, { status: 410 }), 'link_expired'],
    ['an error of a newer service', Response.json({ code: 1, message: 'New words.' }, { status: 400 }), 'unknown'],
  ])('knows %s', async (_, answer, error) => {
    const failure = await planned(answer)
      .api.listFiles(link)
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ServiceFailure);
    expect(failure).toMatchObject({ error });
  });
});

describe('viewOfFailure', () => {
  const closedBy = (error: ErrorName | 'unreachable') => viewOfFailure(new ServiceFailure(error, 'x'), '');

  it('asks for the password, and says when one was wrong', () => {
    const failure = new ServiceFailure('link_password_wrong', 'x');
    expect(viewOfFailure(failure, '')).toEqual({ state: 'password', problem: '' });
    expect(viewOfFailure(failure, 'tried')).toMatchObject({ state: 'password', problem: expect.stringContaining('wrong') });
  });

  it.each([
    ['not_found', 'This link does not work', false],
    ['link_expired', 'This link has expired', false],
    ['package_expired', 'These files are no longer kept', false],
    ['link_inactive', 'This link has been disabled', false],
    ['link_used_up', 'This link has been used up', false],
    ['rate_limited', 'Too many tries', true],
    ['unreachable', 'The service does not answer', true],
    ['internal', 'This did not work', true],
  ] as const)('%s', (error, title, retry) => {
    expect(closedBy(error)).toMatchObject({ state: 'closed', title, retry });
  });
});

it('viewOfPackage sorts by path as people count, and keeps folders and zips out of the list', () => {
  const records = [
    file({ id: '10', name: 'take 10.mov', path: 'a' }),
    file({ id: 'd', kind: 'directory', name: 'a' }),
    file({ id: '9', name: 'take 9.mov', path: 'a' }),
    file({ id: 'z', kind: 'zip_mac', name: 'all.zip' }),
  ];
  const view = viewOfPackage(link, records);
  expect(view).toMatchObject({ state: 'ready', files: [{ id: '9' }, { id: '10' }], zips: [{ id: 'z' }] });
});

it('zipFor takes the zip of the system', () => {
  const zips = [file({ id: 'w', kind: 'zip_windows' }), file({ id: 'm', kind: 'zip_mac' })];
  expect([zipFor(zips, 'MacIntel')?.id, zipFor(zips, 'Win32')?.id, zipFor(zips, 'Linux x86_64')?.id, zipFor([], 'Win32')]).toEqual([
    'm',
    'w',
    'w',
    null,
  ]);
});

it('expiryWords names the day, or nothing for a link without an end', () => {
  expect(expiryWords('2026-12-01T12:00:00.000Z', 'en-GB')).toBe('Available until 1 December 2026');
  expect(expiryWords(unsetDateTime)).toBe('');
});
