import { describe, expect, it } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import type { ApiRequest } from '#client/ports.ts';
import { ApiError } from '#protocol/errors/api-error.ts';
import type { HostedErrorName } from '#protocol/errors/hosted.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { createPageFormat } from '#web/common/format.ts';
import { createDownloadClient } from '#web/download/api.ts';
import { appAddress, commandFor, linkAddress } from '#web/download/environment.ts';
import { openLink, type TokenKeep } from '#web/download/opened-link.ts';
import { previewOf } from '#web/download/preview/kinds.ts';
import { isPdf } from '#web/download/preview/pdf.ts';
import { beginningOf, textOf } from '#web/download/preview/text.ts';
import { reasonOf, viewOfFailure, zipsFor } from '#web/download/view.ts';
import { de } from '#web/messages/de/download.ts';
import { localeFor } from '#web/messages/download.ts';
import { en } from '#web/messages/en/download.ts';

const format = createPageFormat(localeFor(['en-GB']), (text) => text);
const refusal = (error: HostedErrorName, retryAfter: number | null = null, message?: string) =>
  new ServiceError(error, {}, { answered: 400, retryAfter, ...(message === undefined ? {} : { message }) });

const info: LinkInfo = {
  id: 'l1',
  name: 'Dailies',
  expiry: unsetDateTime,
  package_id: 'p/1',
  package_size: 3,
  package_token: 'read-1',
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

/** A catalogue with every sentence made, by its place. */
function sentences(messages: object, at = ''): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of Object.entries(messages)) {
    const place = at === '' ? key : `${at}.${key}`;
    if (typeof value === 'string') all.set(place, value);
    else if (typeof value === 'function') all.set(place, String(value('{0}', '{1}', '{2}', '{3}')));
    else for (const [inner, text] of sentences(value, place)) all.set(inner, text);
  }
  return all;
}

describe('the messages', () => {
  const [english, german] = [sentences(en), sentences(de)];

  it('are there in every language, with every place filled', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
    const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort();
    for (const [key, text] of english) {
      expect(german.get(key)!.trim()).not.toBe('');
      // One or many: German says some of it in other cases.
      if (key !== 'files' && key !== 'folders') expect([key, places(german.get(key)!)]).toEqual([key, places(text)]);
    }
  });

  it('are translated', () => {
    const same = [...english].filter(([key, text]) => /[a-z]{3}/i.test(text) && german.get(key) === text).map(([key]) => key);
    expect(same).toEqual([]);
  });
});

describe('what a link that does not open says', () => {
  it('asks for the password, and says when one was wrong or too many were', () => {
    expect(viewOfFailure(refusal('link_password_wrong'), '', format)).toEqual({ state: 'password', problem: '' });
    expect(viewOfFailure(refusal('link_password_wrong'), 'tried', format)).toEqual({ state: 'password', problem: en.password.wrong });
    expect(viewOfFailure(refusal('rate_limited', 90), 'tried', format)).toMatchObject({
      state: 'password',
      problem: expect.stringContaining('2 min'),
    });
  });

  it.each([
    ['not_found', en.unknown.title, false],
    ['invalid_request', en.unknown.title, false],
    ['link_expired', en.expired.title, false],
    ['package_expired', en.packageExpired.title, false],
    ['package_deleted', en.deleted.title, false],
    ['link_inactive', en.disabled.title, false],
    ['link_used_up', en.usedUp.title, false],
    ['state_conflict', en.unfinished.title, true],
    ['rate_limited', en.tooMany.title, true],
    ['service_unreachable', en.unreachable.title, true],
    ['unavailable', en.unreachable.title, true],
    ['internal', en.wentWrong.title, true],
  ] as const)('%s', (error, title, retry) => {
    expect(viewOfFailure(refusal(error), '', format)).toMatchObject({ state: 'closed', title, retry });
  });

  it('says what there are no words for as the service said it', () => {
    expect(viewOfFailure(refusal('internal', null, 'Ask for trace 7.'), '', format)).toMatchObject({ text: 'Ask for trace 7.' });
    expect(reasonOf(refusal('link_used_up'), format)).toBe(`${en.usedUp.title}. ${en.usedUp.text}`);
    expect(reasonOf(new Error('odd'), format)).toBe('odd');
  });
});

describe('opening a link', () => {
  function planned(answers: (request: ApiRequest) => unknown) {
    const asked: ApiRequest[] = [];
    const kept = new Map<string, string>();
    const keep: TokenKeep = {
      get: async (id) => kept.get(id) ?? null,
      put: (id, token) => void kept.set(id, token),
      proof: (id) => kept.get(`proof ${id}`) ?? null,
      putProof: (id, proof) => void kept.set(`proof ${id}`, String(proof)),
    };
    const api = createDownloadClient(async (request) => {
      asked.push(request);
      const answer = answers(request);
      if (answer instanceof ApiError) return { status: answer.status, headers: {}, text: JSON.stringify(answer.body) };
      return { status: 200, headers: {}, text: JSON.stringify(answer) };
    }, 'https://x.example');
    return { api, asked, keep, kept };
  }
  const link = { linkId: 'l 1', secret: 's&3' };
  const nothing = { password: '', code: '' };

  it('sends the secret, the password where there is one, and lists with the token that came', async () => {
    const { api, asked, keep } = planned(({ url }) => (url.includes('/links/') ? info : [file({})]));
    const opened = await openLink(api, keep, link, { password: 'pässword', code: '' });
    expect(opened).toMatchObject({ info, records: [file({})], usedUp: false });
    expect(asked.map(({ url, headers }) => [url, headers['x-link-password'], headers['x-package-token']])).toEqual([
      ['https://x.example/v1/links/l%201?secret=s%263', 'p%C3%A4ssword', undefined],
      ['https://x.example/v1/packages/p%2F1/files', undefined, 'read-1'],
    ]);
  });

  it('goes on with the token that has begun to download, so that a reload is nobody new', async () => {
    const answers = ({ url }: ApiRequest) =>
      url.includes('/links/')
        ? { ...info, used_up: true }
        : url.endsWith('/files')
          ? []
          : { method: 'GET', url: 'https://storage.example/a' };
    const { api, asked, keep, kept } = planned(answers);
    expect((await openLink(api, keep, link, nothing)).usedUp).toBe(true);
    kept.set('l 1', 'read-0');
    const opened = await openLink(api, keep, link, nothing);
    expect(opened.usedUp).toBe(false);
    expect(await opened.addressOf('f/1')).toBe('https://storage.example/a');
    expect(asked.at(-1)).toMatchObject({
      url: 'https://x.example/v1/packages/p%2F1/files/f%2F1/download',
      headers: { 'x-package-token': 'read-0' },
    });
  });

  it('gives a mailed code once, and its proof from then on', async () => {
    let opened = 0;
    const { api, asked, keep } = planned(({ url, headers }) => {
      if (url.includes('/links/')) return { ...info, package_token: `read-${++opened}`, proof: 'proof-1' };
      if (url.endsWith('/files')) return [];
      return headers['x-package-token'] === 'read-2' ? { url: 'https://storage.example/a' } : new ApiError('credential_invalid');
    });
    const codes = () => asked.filter(({ url }) => url.includes('/links/')).map(({ headers }) => headers['x-link-code']);
    const first = await openLink(api, keep, link, { password: '', code: '1234 5678' });
    await first.addressOf('f1');
    await openLink(api, keep, link, nothing);
    expect(codes()).toEqual(['1234 5678', 'proof-1', 'proof-1']);
  });

  it('opens the link again when a token has run out, once', async () => {
    let tokens = 0;
    const { api, keep, kept } = planned(({ url, headers }) => {
      if (url.includes('/links/')) return { ...info, package_token: `read-${++tokens}` };
      if (url.endsWith('/files')) return [];
      return headers['x-package-token'] === 'read-2'
        ? { method: 'GET', url: 'https://storage.example/a' }
        : new ApiError('credential_invalid');
    });
    const opened = await openLink(api, keep, link, nothing);
    expect(await opened.addressOf('f1')).toBe('https://storage.example/a');
    expect([opened.token(), kept.get('l 1'), tokens]).toEqual(['read-2', 'read-2', 2]);
    await expect(openLink(planned(() => new ApiError('link_expired')).api, keep, link, nothing)).rejects.toMatchObject({
      error: 'link_expired',
    });
  });
});

describe('a link that asks for a code', () => {
  it('says what is the matter with one', () => {
    for (const [error, problem] of [
      ['link_code_required', 'none'],
      ['link_code_wrong', 'wrong'],
      ['link_code_over', 'over'],
    ] as const)
      expect(viewOfFailure(refusal(error), 'harbour', format)).toEqual({ state: 'code', password: 'harbour', problem });
  });
});

describe('other ways', () => {
  it('have the link alone, whatever else the address had', () => {
    const address = linkAddress({ baseUrl: 'https://x.example', link: { linkId: '01JD', secret: 'a+b/ü' } });
    expect(address).toBe('https://x.example/d/01JD?secret=a%2Bb%2F%C3%BC');
    expect(new URL(appAddress(address)).searchParams.get('url')).toBe(address);
    expect(appAddress(address)).toMatch(/^longshore:\/\/download\?url=https/);
    expect(commandFor(address, 'Linux x86_64')).toBe(`longshore get '${address}'`);
    expect(commandFor(address, 'Win32')).toBe(`longshore get "${address}"`);
    expect(commandFor(address, 'MacIntel')).toBe(`longshore get '${address}'`);
    expect(linkAddress({ baseUrl: 'https://x.example', link: null })).toBe('');
  });

  it('begin with the zip of the system', () => {
    const zips = [file({ id: 'w', kind: 'zip_windows' }), file({ id: 'm', kind: 'zip_mac' }), file({})];
    const ids = (platform: string) => zipsFor(zips, platform).map(({ id }) => id);
    expect([ids('MacIntel'), ids('iPhone'), ids('Win32'), ids('Linux x86_64')]).toEqual([
      ['m', 'w'],
      ['m', 'w'],
      ['w', 'm'],
      ['w', 'm'],
    ]);
    expect(zipsFor([], 'Win32')).toEqual([]);
  });
});

describe('looking at a file', () => {
  it.each([
    ['quay.PNG', 'image'],
    ['take.mp4', 'video'],
    ['take.MOV', 'video'],
    ['T003.wav', 'audio'],
    ['notes.txt', 'text'],
    ['page.html', 'text'],
    ['logo.svg', 'text'],
    ['plate.exr', null],
    ['README', null],
    ['.txt', null],
  ])('%s is %s', (name, kind) => {
    expect(previewOf(file({ name }), () => true)).toBe(kind);
  });

  it('is not for what the browser does not play, nor for pictures that it could hardly hold', () => {
    const mp4Alone = (type: string): boolean => type === 'video/mp4';
    expect(previewOf(file({ name: 'a.mov' }), mp4Alone)).toBe('video');
    expect(previewOf(file({ name: 'a.webm' }), mp4Alone)).toBe(null);
    expect(previewOf(file({ name: 'a.opus' }), mp4Alone)).toBe(null);
    expect(previewOf(file({ name: 'a.srt' }), mp4Alone)).toBe('text');
    expect(previewOf(file({ name: 'a.png', size: 3_000_000 }), mp4Alone)).toBe('image');
    expect(previewOf(file({ name: 'a.png', size: 3_000_000_000 }), mp4Alone)).toBe(null);
  });

  it('of a PDF is for browsers that show one inside of a page, and not for one that has to be loaded for long', () => {
    const plays = () => false;
    const of = (size: number, shows: boolean) => previewOf(file({ name: 'a.PDF', size }), plays, () => shows);
    expect([of(1_000, true), of(1_000, false), of(60_000_000, true)]).toEqual(['pdf', null, null]);
    expect(isPdf(Buffer.from('\n%PDF-1.7\n'))).toBe(true);
    expect(isPdf(Buffer.from('<html><script>alert(1)</script>'))).toBe(false);
  });

  it('is not for what has a virus, and not for zips', () => {
    expect(previewOf(file({ name: 'a.txt', virus_detected: true }))).toBe(null);
    expect(previewOf(file({ name: 'a.txt', kind: 'zip_mac' }))).toBe(null);
  });

  const bytes = (...all: number[]) => new Uint8Array(all);
  it.each([
    ['UTF-8', new TextEncoder().encode('Hafen, Nacht – größer'), 'Hafen, Nacht – größer'],
    ['UTF-8 with a mark', bytes(0xef, 0xbb, 0xbf, 0x61), 'a'],
    ['UTF-8 cut within a character', bytes(0x61, 0xc3), 'a'],
    ['UTF-16, little end first', bytes(0xff, 0xfe, 0x61, 0, 0xfc, 0), 'aü'],
    ['UTF-16, big end first', bytes(0xfe, 0xff, 0, 0x61), 'a'],
    ['Windows-1252', bytes(0x67, 0x72, 0xf6, 0xdf, 0x65), 'größe'],
    ['no text', bytes(0x61, 0, 0x62), null],
  ])('reads %s', (_, given, text) => {
    expect(textOf(given)).toBe(text);
  });

  it('takes the beginning alone, whatever the storage sends', async () => {
    let range: string | null = null;
    const endless = (async (_: unknown, init: RequestInit) => {
      range = new Headers(init.headers).get('range');
      return new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(10_000).fill(0x61)) }));
    }) as typeof fetch;
    expect(await beginningOf(endless, 'https://s.example/a', 1_000_000, new AbortController().signal)).toHaveLength(65_536);
    expect(range).toBe('bytes=0-65535');
    await beginningOf(endless, 'https://s.example/a', 10, new AbortController().signal);
    expect(range).toBe('bytes=0-9');
    const messages = '<Error><Code>NoSuchKey</Code></Error>';
    const refused = (async () => new Response(messages, { status: 404 })) as typeof fetch;
    await expect(beginningOf(refused, 'https://s.example/a', 10, new AbortController().signal)).rejects.toMatchObject({
      code: 'object_gone',
    });
    expect(await beginningOf(refused, 'https://s.example/a', 0, new AbortController().signal)).toBe('');
  });
});
