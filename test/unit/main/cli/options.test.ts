import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLink } from '#main/cli/commands/get.ts';
import {
  apiKeyOption,
  collectEmails,
  forgetEmptyVariables,
  parseDuration,
  parseLargestBody,
  parseMoment,
  parseUrl,
  readSecret,
} from '#main/cli/options.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-options-'));
  await writeFile(join(folder, 'key'), '  ls_abc\n');
  await writeFile(join(folder, 'empty'), '\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('e-mail addresses', () => {
  const send = (...args: string[]) =>
    new Command('send')
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .addOption(new Option('--to <address...>').argParser(collectEmails).default([]))
      .parse(args, { from: 'user' })
      .opts()['to'];
  it('are all that are given', () => {
    expect(send()).toEqual([]);
    expect(send('--to', 'mia@example.com', 'post@example.com', '--to', 'a@b.example')).toHaveLength(3);
  });
  it('are refused by the option that has them, before anything is asked', () => {
    expect(() => send('--to', 'mia@example.com', 'nomail')).toThrow("option '--to <address...>' argument 'nomail' is invalid");
  });
});

describe('a time', () => {
  it('is seconds, or has a unit', () => {
    expect(['90', '90s', '90m', '4h', '2d'].map(parseDuration)).toEqual([90, 90, 5_400, 14_400, 172_800]);
    for (const wrong of ['', '0', '-1', '1.5h', '4 hours', '1w']) expect(() => parseDuration(wrong), wrong).toThrow('90m, 4h, 2d');
  });
  it('of the calendar is a day or a moment', () => {
    expect(parseMoment('2027-01-31')).toBe('2027-01-31T00:00:00.000Z');
    expect(() => parseMoment('tomorrow')).toThrow('2027-01-31T18:00:00Z');
  });
});

describe('a secret', () => {
  it('is the one given, before the file', () => expect(readSecret('given', join(folder, 'key'), 'API key')).toBe('given'));
  it('comes from its file without white space', () => expect(readSecret(undefined, join(folder, 'key'), 'API key')).toBe('ls_abc'));
  it('is none when nothing is given, or nothing in the environment', () => {
    expect(readSecret(undefined, undefined, 'API key')).toBeUndefined();
    expect(readSecret('', '', 'API key')).toBeUndefined();
  });
  it('is missed in words', () => {
    expect(() => readSecret(undefined, join(folder, 'nowhere'), 'API key')).toThrow(/The file .*nowhere with the API key cannot be read/);
    expect(() => readSecret(undefined, join(folder, 'empty'), 'API key')).toThrow('should hold the API key, and it is empty');
  });
});

describe('a largest body', () => {
  it.each([
    ['100MB', 100_000_000],
    ['95MiB', 95 * 1024 * 1024],
    ['1.5 GiB', 1.5 * 1024 ** 3],
    ['5242880', 5_242_880],
  ])('%s is %s bytes', (text, bytes) => expect(parseLargestBody(text)).toBe(bytes));
  it.each(['', '100m', 'much', '-5MB', '1e9'])('%j is refused', (text) => {
    expect(() => parseLargestBody(text)).toThrow(/^Give a size like/);
  });
  it('is that of the smallest part at least', () => expect(() => parseLargestBody('5MB')).toThrow('5 MiB at least'));
});

describe('an address', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://Files.Example.com/', 'https://files.example.com'],
    ['https://example.com/longshore//', 'https://example.com/longshore'],
  ])('%s is %s', (text, url) => expect(parseUrl(text)).toBe(url));
  it.each(['', 'localhost:8080', 'ftp://x', 'http://', 'https://user:pass@x', 'https://x/?a=b', 'https://x/#a'])(
    '%j is refused',
    (text) => {
      expect(() => parseUrl(text)).toThrow(/^Give /);
    },
  );
});

describe('a link', () => {
  it('is read from stdin in place of -', async () => {
    expect(await readLink('-', Readable.from(['http://h/d/1?secret=x\n']))).toBe('http://h/d/1?secret=x');
  });
  it('is refused before anything is begun when it is none', async () => {
    await expect(readLink('http://h/x')).rejects.toThrow('This is not a download link');
  });
});

it('takes variables that are set to nothing as not set', () => {
  const command = new Command().addOption(new Option('--storage-url <url>').env('STORAGE_URL')).addOption(apiKeyOption());
  const env: NodeJS.ProcessEnv = { STORAGE_URL: '', LONGSHORE_API_KEY: 'key', OTHER: '' };
  forgetEmptyVariables([command], env);
  expect(env).toEqual({ LONGSHORE_API_KEY: 'key', OTHER: '' });
});
