import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#main/start/ports.ts';
import { run } from '#main/start/run.ts';
import { npmStart, npmStartHere } from '#test/support/engine/command-line.ts';
import { inAll } from '#test/support/level.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** `npm start`: a whole crossing with real processes, and none of them left afterwards. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
const at = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await tempFolder();
  writeTree(at('source'), { 'big.bin': seededBytes(9_000_000, 7), 'sub/a b.txt': 'a', 'sub/zero': '', 'sub/empty': null });
  writeTree(folder.path, { file: '' });
});
afterAll(() => folder.remove());

/** A test that fails would leave what it started. */
afterEach(async () => {
  for (const { pid } of await processesWith(at('data'))) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
});

const noneLeft = () => eventually('no process is left', async () => (await processesWith(at('data'))).length === 0);

describe('npm start -- --once', () => {
  it('carries the folder across, compares it, and ends', async () => {
    const run = npmStart([at('source'), '--once', '--data-dir', at('data')]);
    expect([await run.ended, run.stderr()]).toEqual([0, expect.not.stringContaining('npm start:')]);
    const said = run.stdout();
    expect(said).toContain(`Starting for the first time. Data: ${at('data')}`);
    expect(said).toMatch(/^First byte sent (\d+\.\d s|\d+ min \d+ s) after the start\.$/m);
    expect(said).toMatch(/^Compared {2}3 files, 9\.00 MB: every byte is the same\.$/m);
    expect(said).toMatch(/9\.00 MB in \d+\.\d\d s: [\d.]+ [kMG]B\/s/);
    const [received] = readdirSync(at('data/received'));
    expect(readTree(at(`data/received/${received}/source`))).toEqual(readTree(at('source')));
    expect(/^Note: No keychain of the operating system is used\. /m.test(said)).toBe(existsSync(at('data/agent/vault.json')));
    expect(run.stderr()).not.toMatch(/^\{/m);
    expect(await processesWith(at('data'))).toEqual([]);
  });

  it(
    'finds its data again, takes other ports where its own are taken, keeps only the latest copy, and stays up until it is told to stop',
    inAll('one start and its crossing; ports and folders by faults/service-start'),
    async () => {
      const before = readFileSync(at('data/start.json'), 'utf8');
      const taken = await Promise.all([8080, 8081, 8090].map(occupy));
      const other = await occupy(0);
      const { port } = other!.address() as AddressInfo;
      const said: string[] = [];
      const stop = new AbortController();
      const up = Promise.withResolvers<void>();
      let lost = 1;
      // In this process: what a signal does to it is told by cli/signals, and by the two that follow.
      const running = run({
        path: at('source/sub'),
        dataDir: at('data'),
        once: false,
        allowPrivateConnections: false,
        env: process.env,
        signal: stop.signal,
        say: (text) => {
          said.push(text);
          if (text.includes('Press Ctrl-C to stop.')) up.resolve();
        },
        elapsed: () => performance.now(),
        // The storage's port, as it is when another program was faster.
        findPort: async (wanted, except) => (wanted === 8081 && lost-- > 0 ? port : freePort(wanted, except)),
      });
      await Promise.race([up.promise, running]);
      const text = said.join('\n');
      expect(said).toContain('A port was taken in the meantime. Trying with another one.');
      expect(said.filter((one) => one.startsWith('Starting'))).toEqual([`Starting with the data in ${at('data')}`]);
      expect(text).toMatch(/^Port 8080 is taken, so the service takes \d+; port 8081 .*; port 8090 is taken/m);
      const after = JSON.parse(readFileSync(at('data/start.json'), 'utf8'));
      expect(after).toEqual({ ...JSON.parse(before), received: after.received });
      expect(readdirSync(at('data/received'))).toHaveLength(1);
      const [, agentUrl] = /^The agent's page +(\S+)$/m.exec(text)!;
      const [, link] = /^Download link +(\S+)$/m.exec(text)!;
      const page = await fetch(agentUrl!);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect((await fetch(link!)).status).toBe(200);
      stop.abort(new Error('SIGTERM'));
      expect(await running).toBe(0);
      expect(await processesWith(at('data'))).toEqual([]);
      for (const server of [...taken, other]) server?.close();
    },
  );

  it('leaves no process behind when it is killed hard', inAll('what a killed service leaves by faults/service-kill'), async () => {
    const run = npmStart([at('source/sub'), '--data-dir', at('data')]);
    await run.line(/^First byte sent/);
    run.process.kill('SIGKILL');
    expect(await run.ended).toBe('SIGKILL');
    await noneLeft();
  });

  it('ends, with all it started, when a part of it dies', inAll('what a killed service leaves by faults/service-kill'), async () => {
    const run = npmStart([at('source/sub'), '--data-dir', at('data')]);
    await run.line(/^Press Ctrl-C to stop\.$/);
    const [service] = (await processesWith(at('data'))).filter((one) => one.command.includes('longshore.js service'));
    process.kill(service!.pid, 'SIGKILL');
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toMatch(/^npm start: The service has ended unexpectedly \(by a signal\)\.$/m);
    await noneLeft();
  });
});

describe('npm start with something wrong', () => {
  it.each<[string, () => string[], number, RegExp]>([
    ['a folder that is not there', () => [at('nowhere'), '--data-dir', at('other')], 6, /There is no file or folder at .*nowhere\./],
    ['a data folder inside what is sent', () => [at('source'), '--data-dir', at('source/data')], 2, /holds the data folder/],
    [
      'a data folder that is a file',
      () => [at('source'), '--data-dir', at('file')],
      6,
      /The data folder .*file cannot be made .*--data-dir/,
    ],
    ['an option that is none', () => ['--bogus'], 2, /unknown option '--bogus'/],
  ])('%s', async (_, args, code, pattern) => {
    const ended = await npmStartHere(args());
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(pattern);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  it('is told by --help', async () => {
    const { code, stdout } = await npmStartHere(['--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--once[\s\S]*--data-dir[\s\S]*Exit codes:/);
  });
});

/** Holds a port for the test, or leaves it to whoever has it already. */
function occupy(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
