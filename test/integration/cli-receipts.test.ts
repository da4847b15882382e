import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longshore, longshoreHere } from '#test/support/engine/command-line.ts';
import { inAll } from '#test/support/level.ts';
import { signedReceipt } from '#test/support/service/receipts.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** `--receipt` and `longshore verify`: what moves files and what is stopped as real processes. */

let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
const at = (...names: string[]): string => join(folder.path, ...names);

async function processEnds(args: readonly string[], options: Parameters<typeof longshore>[1] = {}) {
  const run = longshore(args, { cwd: folder.path, ...options });
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

const ends = (args: readonly string[]) => longshoreHere(args, { cwd: folder.path });

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  writeTree(at('day12'), { 'clip.mov': seededBytes(6_000_000, 1), 'notes/scène.txt': 'notes', empty: null });
  writeFileSync(at('key'), service.apiKey);
  const own = ['--service-url', service.url, '--data-dir', at('data'), '--no-agent'];
  const sent = await processEnds(['send', 'day12', ...own, '--api-key-file', 'key', '--receipt', 'sent.receipt']);
  expect(sent).toMatchObject({ code: 0 });
  const nowhere = await processEnds(['get', '-', 'in', ...own, '--receipt', 'nowhere/got.receipt'], { input: sent.stdout });
  expect(nowhere).toMatchObject({ code: 6, stderr: expect.stringMatching(/cannot be written to nowhere\/got\.receipt: ENOENT/) });
  expect(readdirSync(at('in'))).toEqual([]);
  expect(await processEnds(['get', '-', 'in', ...own, '--receipt', 'in/got.receipt'], { input: sent.stdout })).toMatchObject({ code: 0 });
  writeFileSync(at('keys.json'), await (await fetch(`${service.url}/.well-known/jwks.json`)).text());
});
afterAll(async () => {
  await service?.close();
  await folder?.remove();
});

describe('verify', () => {
  it('finds what came as it was sent, by the receipt of either side', async () => {
    expect(readFileSync(at('sent.receipt')).equals(readFileSync(at('in', 'got.receipt')))).toBe(true);
    const { code, stdout, stderr } = await processEnds(['verify', 'in', '--receipt', 'in/got.receipt', '--keys', 'keys.json']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('All 2 files, 6.00 MB, are as the receipt has them.');
    expect(stderr).toMatch(/package "day12", by key [\w-]{43}, which is trusted\.\n$/);
    // The sender's own folder lies among others.
    expect(await ends(['verify', '.', '--receipt', 'sent.receipt', '--no-extra'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('give --keys to be sure whose that is'),
    });
  });

  it('lists what differs, and ends with 8', async () => {
    writeTree(at('other', 'day12'), { 'clip.mov': seededBytes(6_000_000, 2), 'notes/more.txt': '', empty: null });
    const { code, stdout, stderr } = await ends(['verify', 'other', '--receipt', 'sent.receipt']);
    expect(code).toBe(8);
    expect(stdout.trimEnd().split('\n').toSorted()).toEqual([
      'changed     day12/clip.mov  (its content is another)',
      'extra       day12/notes/more.txt',
      'missing     day12/notes/scène.txt',
    ]);
    expect(stderr).toContain('Not as the receipt has it: 1 missing, 1 changed, 1 extra.');
    const json = await ends(['verify', 'other', '--receipt', 'sent.receipt', '--no-extra', '--json']);
    expect(json.code).toBe(8);
    expect(
      json.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).kind)
        .toSorted(),
    ).toEqual(['changed', 'missing']);
  });

  it('does not rely on a receipt that was changed or is of another key, and ends with 9', async () => {
    const text = readFileSync(at('sent.receipt'), 'utf8');
    writeFileSync(at('corrupted'), text.replace('6000000', '6000001'));
    expect(await ends(['verify', 'in', '--receipt', 'corrupted'])).toMatchObject({ code: 9, stdout: '' });
    const forged = await signedReceipt([]);
    writeFileSync(at('forged'), forged.text);
    expect(await ends(['verify', 'empty', '--receipt', 'forged'])).toMatchObject({ code: 6 });
    mkdirSync(at('nothing'));
    expect(await ends(['verify', 'nothing', '--receipt', 'forged'])).toMatchObject({ code: 0 });
    const run = await ends(['verify', 'nothing', '--receipt', 'forged', '--keys', 'keys.json']);
    expect(run).toMatchObject({ code: 9, stderr: expect.stringContaining('none of those that are trusted') });
  });

  it.each<[string, string[], number, RegExp]>([
    ['no receipt', ['verify', 'in'], 2, /required option '--receipt <file>' not specified/],
    ['a receipt that is not there', ['verify', 'in', '--receipt', 'gone'], 6, /The receipt gone cannot be read: ENOENT/],
    ['a folder that is none', ['verify', 'sent.receipt', '--receipt', 'sent.receipt'], 6, /sent\.receipt is not a folder/],
    ['keys that are none', ['verify', 'in', '--receipt', 'sent.receipt', '--keys', 'key'], 2, /key holds no keys/],
  ])('says what is wrong with %s', async (_, args, code, words) => {
    const ended = await ends(args);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toMatch(words);
  });

  it('stops on Ctrl-C, saying how far it came', async () => {
    // Sparse, so that it is made at once and takes long to read.
    const size = 200 * 1024 ** 3;
    mkdirSync(at('large'));
    writeFileSync(at('large', 'a.bin'), '');
    await truncate(at('large', 'a.bin'), size);
    const { text } = await signedReceipt([
      {
        kind: 'file',
        path: 'a.bin',
        size,
        last_modified: '2026-11-20T18:04:11.000Z',
        chunk_size: 100 * 1024 * 1024,
        digest: `blake3:${'0'.repeat(64)}`,
      },
    ]);
    writeFileSync(at('large.receipt'), text);
    const run = longshore(['verify', 'large', '--receipt', 'large.receipt'], { cwd: folder.path });
    await run.line(/^Checked .* of 215 GB, 0 files$/);
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(run.stderr()).toMatch(/Stopped after 0 files, .*; 0 of them differ\.\n$/);
    rmSync(at('large'), { recursive: true });
  });

  it('has help with examples and exit codes', async () => {
    const { code, stdout } = await ends(['verify', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples:\n[\s\S]*longshore verify incoming\//);
    expect(stdout).toMatch(
      / 8 {4}the folder is not as its receipt has it, or the storage not as the database has it\n {2}9 {4}the receipt is damaged/,
    );
  });
});

it('a receipt comes by way of a running agent, too', inAll('integration/receipts, and the same by a command of its own'), async () => {
  const agent = longshore(
    ['agent', '--listen', '127.0.0.1:0', '--data-dir', at('agent'), '--service-url', service.url, '--api-key-file', at('key')],
    {},
  );
  const [, url] = await agent.line(/ is ready at (\S+)$/);
  try {
    const sent = await ends(['send', 'day12', '--agent-url', url!, '--receipt', 'agent.receipt']);
    expect(sent).toMatchObject({ code: 0 });
    expect(existsSync(at('agent.receipt'))).toBe(true);
    expect(await ends(['verify', 'in', '--receipt', 'agent.receipt', '--no-extra', '--keys', 'keys.json'])).toMatchObject({ code: 0 });
    appendFileSync(at('agent.receipt'), 'more');
    expect(await ends(['verify', 'in', '--receipt', 'agent.receipt'])).toMatchObject({ code: 9 });
  } finally {
    agent.process.kill('SIGTERM');
    await agent.ended;
  }
});
