import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOrMakeToken, sameSecret, shownToken } from '#agent-api/token.ts';

describe("the agent's token", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-token-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is made once, for the owner only, and read again afterwards', async () => {
    const dataDir = join(folder, 'new');
    const first = await readOrMakeToken(dataDir);
    expect(first.token).toMatch(/^lsa_[\w-]{43}$/);
    expect((await stat(first.file)).mode & 0o777).toBe(0o600);
    expect(await readFile(first.file, 'utf8')).toBe(`${first.token}\n`);
    expect(await readOrMakeToken(dataDir)).toEqual(first);
  });

  it('differs from folder to folder', async () => {
    expect((await readOrMakeToken(join(folder, 'a'))).token).not.toBe((await readOrMakeToken(join(folder, 'b'))).token);
  });

  it('is refused when its file was emptied', async () => {
    await writeFile(join(folder, 'api-token'), '\n');
    await expect(readOrMakeToken(folder)).rejects.toThrow(/holds no usable token/);
  });
});

describe('a shown token', () => {
  it.each<[string | undefined, string]>([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Bearer  abc', 'abc'],
    ['Bearer abc def', ''],
    ['Basic abc', ''],
    ['Bearer', ''],
    ['Bearer ', ''],
    [`Bearer ${'x'.repeat(300)}`, ''],
    [undefined, ''],
  ])('%j is %j', (authorization, expected) => {
    expect(shownToken(authorization)).toBe(expected);
  });

  it('equals only itself', () => {
    expect(sameSecret('abc', 'abc')).toBe(true);
    expect(sameSecret('abd', 'abc')).toBe(false);
    expect(sameSecret('', 'abc')).toBe(false);
  });
});
