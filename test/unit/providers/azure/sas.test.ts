import { describe, expect, test } from 'vitest';
import { azureConfig } from '#providers/azure/config.ts';
import { checkSas, dateProblem, notesOn, readSas } from '#providers/azure/sas.ts';
import { ProviderError } from '#providers/errors.ts';

const host = 'https://acme.blob.core.windows.net';
const account = 'sv=2022-11-02&ss=b&srt=co&sp=rwdlac&se=2027-01-01T00:00:00Z&spr=https&sig=a%2Bb%2Fc%3D';
const ofContainer = 'sv=2022-11-02&sr=c&sp=rwdl&se=2027-01-01&sig=a%2Bb%2Fc%3D';
const config = (url: string, destination = 'films') => azureConfig({ blob_service_sas_url: url, destination });

function problem(work: () => unknown): { readonly code: string; readonly message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  return { code: 'none', message: '' };
}

describe('The URL of a SAS', () => {
  test.each([
    [`${host}/?${account}`, `${host}/films`],
    [`${host}?${account}`, `${host}/films`],
    [` ${host}/films?${account} \n`, `${host}/films`],
    [`${host}/films?${ofContainer}`, `${host}/films`],
    [`${host}/?${ofContainer}`, `${host}/films`],
    [`http://127.0.0.1:10000/acme?${account}`, 'http://127.0.0.1:10000/acme/films'],
    [`http://127.0.0.1:10000/acme/films?${ofContainer}`, 'http://127.0.0.1:10000/acme/films'],
    [`https://media.example.com/films?${ofContainer}`, 'https://media.example.com/films'],
  ])('%s leads to the container', (url, container) => {
    expect(config(url).container).toBe(container);
  });

  test('is kept as it was given, since the signature covers it', () => {
    for (const query of [account, ofContainer, `${account}&sip=1.2.3.4`, 'sig=a+b/c==&sp=rwdl&ss=b&srt=co']) {
      expect(config(`${host}/?${query}`).sas.query).toBe(query);
    }
  });

  test.each([
    ['no signature', `${host}/?sp=rwdl`, 'films', /no signature/],
    ['one blob', `${host}/films/a.mov?${ofContainer.replace('sr=c', 'sr=b')}`, 'films', /single file/],
    ['one folder', `${host}/films/day?${ofContainer.replace('sr=c', 'sr=d')}`, 'films', /single folder/],
    ['a path in the container', `${host}/films/day?${account}`, 'films', /file or folder/],
    ['another container', `${host}/stills?${ofContainer}`, 'films', /"stills".*"films"/],
    ['no address', 'acme', 'films', /no SAS URL/],
    ['a name that is none', `${host}/?${account}`, 'Films/2026', /no name of a container/],
  ])('with %s is refused in words', (_what, url, destination, words) => {
    const { code, message } = problem(() => config(url, destination));
    expect(code).toBe('misconfigured');
    expect(message).toMatch(words);
    expect(message).not.toContain('a%2Bb');
  });
});

describe('What a SAS allows', () => {
  const checked = (query: string, https = true) => problem(() => checkSas(readSas(query), { direction: 'service_to_cloud', https }));

  test('is enough with Read, Write, Delete and List on containers and objects', () => {
    for (const query of [account, ofContainer, 'si=deliveries&sr=c&sig=x']) expect(checked(query).code, query).toBe('none');
  });

  test.each([
    ['sp=rwdlac', 'sp=rac', 'forbidden', /lacks the permissions Write \(w\), Delete \(d\) and List \(l\) in sp/],
    ['sp=rwdlac', 'sp=rwl', 'forbidden', /lacks the permission Delete \(d\) in sp/],
    ['sp=rwdlac&', '', 'misconfigured', /no permissions/],
    ['srt=co', 'srt=s', 'misconfigured', /resource types Container \(c\) and Object \(o\)/],
    ['srt=co', 'srt=sc', 'misconfigured', /resource type Object \(o\)/],
    ['ss=b', 'ss=fq', 'misconfigured', /not for the Blob service/],
  ])('%s as "%s" is told with what to make', (from, to, code, words) => {
    const found = checked(account.replace(from, to));
    expect(found.code).toBe(code);
    expect(found.message).toMatch(words);
    expect(found.message).toMatch(/Make a SAS for the Blob service .* enter its URL\.$/);
  });

  test('is told at once, whatever is missing', () => {
    const { message } = checked(account.replace('sp=rwdlac', 'sp=r').replace('srt=co', 'srt=c').replace('ss=b', 'ss=f'));
    expect(message).toMatch(/ss has no b.*Object \(o\).*Write \(w\), Delete \(d\) and List \(l\)/);
  });

  test('over HTTPS alone does not go over HTTP', () => {
    expect(checked(account, false)).toMatchObject({ code: 'misconfigured', message: expect.stringMatching(/https:\/\/\.$/) });
    expect(checked(account.replace('spr=https', 'spr=https,http'), false).code).toBe('none');
  });
});

describe('When a SAS is valid', () => {
  const sas = readSas(`${account}&st=2026-11-01T00:00:00Z`);

  test('is told by the time of the one who refused it', () => {
    expect(dateProblem(sas, new Date('2027-01-01T00:00:00Z'))).toMatch(/expired at 2027-01-01 00:00 UTC/);
    expect(dateProblem(sas, new Date('2026-10-31T23:59:59Z'))).toMatch(/only from 2026-11-01 00:00 UTC/);
    expect(dateProblem(sas, new Date('2026-12-01T00:00:00Z'))).toBeNull();
  });

  test('is noted in its last two weeks', () => {
    const notes = (now: string) => notesOn(sas, { now: new Date(now), https: true });
    expect(notes('2026-12-17T23:59:59Z')).toEqual([]);
    expect(notes('2026-12-26T12:00:00Z')).toEqual([expect.stringMatching(/in 5 days\. Enter the URL of a new one before/)]);
    expect(notes('2026-12-30T12:00:00Z')).toEqual([expect.stringMatching(/in 1 day\./)]);
  });

  test('other things worth knowing are told: a policy, addresses, no encryption', () => {
    const limited = readSas('sr=c&si=deliveries&sip=192.0.2.1-192.0.2.9&sig=x');
    expect(notesOn(limited, { now: new Date(), https: false })).toEqual([
      expect.stringContaining('"deliveries"'),
      expect.stringContaining('192.0.2.1-192.0.2.9'),
      expect.stringContaining('http://'),
    ]);
  });
});
