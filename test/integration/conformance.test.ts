import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { pageBlocks } from '#test/support/docs/page-blocks.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * Our agent against programs that nobody of us wrote, driven by nothing but docs/api.md: what curl sends our agent
 * fetches, and what our agent sends curl and aria2 fetch, byte for byte.
 */

const MiB = 1024 * 1024;
const blocks = pageBlocks('api.md').filter(({ language }) => language === 'bash');
const section = (title: string, mark = ''): string =>
  blocks
    .filter((block) => block.section === title && block.mark === mark)
    .map(({ text }) => text)
    .join('\n');
const [, helpers] = blocks;
const fetching = 'Fetching it';

let t: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let agent: Engine;

beforeAll(async () => {
  folder = await tempFolder();
  t = await startTestService();
  agent = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: t.url, apiKey: t.apiKey });
});
afterAll(async () => {
  await agent?.close();
  await t?.close();
  await folder?.remove();
});

async function bash(cwd: string, script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  mkdirSync(cwd, { recursive: true });
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd,
    env: { ...process.env, LC_ALL: 'C.UTF-8', LONGSHORE: t.url, ...env },
  });
  return stdout;
}

describe.skipIf(!hasPrograms('curl', 'jq'))('what curl sends', () => {
  it.each(
    firstOf([
      ['several chunks', 'A 001 (ü) 🎬.mov', 17 * MiB + 13],
      ['whole chunks', 'exact.bin', 10 * MiB],
      ['one chunk', 'one.bin', 1],
      ['no bytes at all', 'nothing.txt', 0],
    ]),
  )('our agent fetches: %s', async (_, name, size) => {
    const cwd = join(folder.path, `curl-sends-${size}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, name), seededBytes(size, size));
    // The page leaves the size of chunks to the service, and then these would be one each.
    const sending = section('Sending a file').replace('"recipients": []', '"recipients": [], "chunk_size": 5242880');
    expect(sending).toContain('"chunk_size": 5242880');
    const said = await bash(cwd, [helpers!.text, section('Signing in'), sending].join('\n'), {
      EMAIL: ownerEmail,
      PASSWORD: ownerPassword,
      FILE: name,
    });
    const url = said.trim().split('\n').at(-1)!;
    const target = join(cwd, 'fetched');
    const { id } = await agent.transfers.download({ url, dst_folder: target });
    expect(await transferWhen(agent, id)).toMatchObject({ state: 'complete', error: null, receipt: true, total_bytes: size });
    expect(readFileSync(join(target, name)).equals(readFileSync(join(cwd, name)))).toBe(true);
  });
});

describe.skipIf(!hasPrograms('curl', 'jq', 'aria2c', 'openssl'))('what our agent sends', () => {
  let sent: AgentTransfer;
  let expected: ReturnType<typeof readTree>;
  let opened: Record<string, string>;

  beforeAll(async () => {
    const source = join(folder.path, 'source');
    writeTree(source, {
      'day 12/clip one.mov': seededBytes(17 * MiB + 13, 1),
      'day 12/exact.bin': seededBytes(10 * MiB, 2),
      'day 12/zero.bin': '',
      'day 12/a/b/c/deep.txt': 'deep',
      'day 12/Grüße/日本語 🎬 & more $HOME #1 100%.txt': 'ünïcode',
    });
    expected = readTree(source);
    const { id } = await agent.transfers.upload({
      team_id: t.teamId,
      paths: [join(source, 'day 12')],
      package_name: 'Day 12',
      recipients: [],
      chunk_size: 5 * MiB,
    });
    sent = await transferWhen(agent, id);
    expect(sent).toMatchObject({ state: 'complete', error: null });
    const link = new URL(sent.url);
    opened = {
      package_id: sent.package_id,
      link_id: link.pathname.split('/').at(-1)!,
      secret: link.searchParams.get('secret')!,
    };
  });

  /** The page's commands for a recipient, up to the list of files. */
  const opening = (): string => [helpers!.text, blocks.find((block) => block.section === fetching)!.text].join('\n');
  const loop = (): string => blocks.filter((block) => block.section === fetching && block.mark === '')[1]!.text;

  it('curl fetches', async () => {
    const cwd = join(folder.path, 'curl-fetches');
    await bash(cwd, [opening(), loop()].join('\n'), opened);
    expect(readTree(join(cwd, 'fetched'))).toEqual(expected);
  });

  it('curl goes on with where it was cut off', async () => {
    const cwd = join(folder.path, 'curl-goes-on');
    writeTree(join(cwd, 'fetched', 'day 12'), { 'clip one.mov': seededBytes(17 * MiB + 13, 1).subarray(0, 6 * MiB + 1) });
    await bash(cwd, [opening(), loop()].join('\n'), opened);
    expect(readTree(join(cwd, 'fetched'))).toEqual(expected);
  });

  it('aria2 fetches, over several connections', inAll('curl fetches the same'), async () => {
    const cwd = join(folder.path, 'aria2-fetches');
    const script = section(fetching, 'aria2');
    expect(script).toContain('aria2c');
    await bash(cwd, [opening(), script].join('\n'), opened);
    expect(readTree(join(cwd, 'fetched'))).toEqual(expected);
  });

  it('openssl and sha256sum find the receipt whole, and find one that was changed', async () => {
    const cwd = join(folder.path, 'receipt');
    const [fetchIt, check] = blocks.filter(({ mark }) => mark === 'receipt').map(({ text }) => text);
    const said = await bash(cwd, [opening(), fetchIt, check].join('\n'), opened);
    expect(said).toContain('Signature Verified Successfully\nwhole\n');
    expect(said).toMatch(new RegExp(`^${17 * MiB + 13}\tblake3:[0-9a-f]{64}\tday 12/clip one\\.mov$`, 'm'));
    // It is the one that our agent has kept.
    const kept: Uint8Array[] = [];
    for await (const piece of await agent.transfers.receipt(sent.id)) kept.push(piece);
    expect(readFileSync(join(cwd, 'receipt')).equals(Buffer.concat(kept))).toBe(true);
    appendFileSync(join(cwd, 'receipt'), '{}\n');
    await expect(bash(cwd, `set -euo pipefail\n${check}`)).rejects.toMatchObject({ code: 1 });
  });
});
