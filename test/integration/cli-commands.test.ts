import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longshore, longshoreHere } from '#test/support/engine/command-line.ts';
import { inAll } from '#test/support/level.ts';
import { processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The command line, what starts something as real processes: help, exit codes, and one sentence for each thing that can go wrong. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

async function ends(args: readonly string[], options: Parameters<typeof longshore>[1] = {}) {
  const run = longshore(args, options);
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

/** One sentence on stderr, and no stack. */
function expectSentence(stderr: string, pattern: RegExp) {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(pattern);
  expect(stderr).not.toMatch(/\n\s+at |node:internal|\.ts:\d/);
}

describe('help', () => {
  it.each(['service', 'agent', 'send', 'get', 'ls', 'verify', 'wait', 'pause', 'login', 'status'])(
    'of %s has examples, exit codes and where options can come from',
    async (name) => {
      const { code, stdout, stderr } = await longshoreHere([name, '--help']);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`Usage: longshore ${name}`);
      expect(stdout).toMatch(/\nExamples:\n {2}longshore /);
      expect(stdout).toMatch(/\nExit codes:\n {2}0 {4}done\n/);
      expect(stdout).toContain('env: LONGSHORE_');
    },
  );

  it('of the whole names every command', async () => {
    const { code, stdout } = await longshoreHere(['--help']);
    expect(code).toBe(0);
    for (const name of ['service', 'agent', 'send', 'get', 'ls', 'verify']) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });

  it.each([
    [['help', 'send'], 'longshore send'],
    [['help', 'admin', 'user', 'create'], 'longshore admin user create'],
    [['help'], 'longshore'],
  ])('%j shows that command', async (args, usage) => {
    const { code, stdout } = await longshoreHere(args);
    expect([code, stdout.split('\n')[0]?.startsWith(`Usage: ${usage} [`)]).toEqual([0, true]);
  });

  it('of a command that is none says so', async () => {
    const { code, stdout, stderr } = await longshoreHere(['help', 'admin', 'usr']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain("unknown command 'usr'");
  });

  it('tells the version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await ends(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('what is not understood ends with 2', () => {
  it.each<[string, string[], RegExp]>([
    ['no command', [], /Usage: longshore/],
    ['an unknown command', ['bogus'], /unknown command 'bogus'/],
    ['an unknown option', ['agent', '--bogus'], /unknown option '--bogus'/],
    ['a port out of range', ['agent', '--listen', '127.0.0.1:70000'], /Give HOST:PORT/],
    ['an address that is none', ['agent', '--service-url', 'localhost:8080'], /begins with http/],
    ['nothing to send', ['send'], /missing required argument 'path'/],
    ['a link that is none', ['get', 'https://example.com/'], /This is not a download link/],
    ['a link without its end', ['ls', 'https://example.com/d/1'], /\?secret=…, is missing/],
  ])('%s', async (_, args, pattern) => {
    const { code, stdout, stderr } = await longshoreHere(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(pattern);
  });
});

describe('agent', () => {
  const dataDir = (name: string) => join(folder.path, name);

  it('says in one line where it answers, and stops on SIGTERM', async () => {
    const run = longshore(['agent', '--listen', '127.0.0.1:0', '--data-dir', dataDir('a1')]);
    const [, url] = await run.line(/^Longshore agent is ready at (http:\/\/127\.0\.0\.1:\d+)$/);
    const reply = await fetch(`${url}/api/v1/login`);
    expect([reply.status, reply.headers.get('content-type'), await reply.json()]).toEqual([
      401,
      'application/json',
      { code: 262146, message: 'session is nil' },
    ]);
    run.process.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.stdout()).toBe(`Longshore agent is ready at ${url}\n`);
  });

  it('takes its options from the environment', inAll('unit/main/config/resolve'), async () => {
    const env = {
      LONGSHORE_LISTEN: '127.0.0.1:0',
      LONGSHORE_DATA_DIR: dataDir('a2'),
      LONGSHORE_SERVICE_URL: 'http://127.0.0.1:9',
      LONGSHORE_LOG_LEVEL: 'silent',
    };
    const run = longshore(['agent'], { env });
    const [, url] = await run.line(/ is ready at (\S+)$/);
    expect(await (await fetch(`${url}/api/v1/status`)).json()).toMatchObject({ service_url: 'http://127.0.0.1:9', signed_in: false });
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(0);
  });

  it('ends when the parent that started it with a channel is gone', async () => {
    const run = longshore(['agent', '--listen', '127.0.0.1:0', '--data-dir', dataDir('a3')], { ipc: true });
    await run.line(/ is ready at /);
    run.process.disconnect();
    expect(await run.ended).toBe(0);
    expect(await processesWith(dataDir('a3'))).toEqual([]);
  });

  it('says that its port is taken, with 7', inAll('faults/service-start, and unit/main/cli/failure'), async () => {
    const server = createServer();
    const port = await listening(server);
    const { code, stdout, stderr } = await ends(['agent', '--listen', `127.0.0.1:${port}`, '--data-dir', dataDir('a4')]);
    server.close();
    expect([code, stdout]).toEqual([7, '']);
    expectSentence(stderr, new RegExp(`^longshore: 127\\.0\\.0\\.1:${port} is taken by another program\\..*--listen\\.$`, 'm'));
  });

  it('says that another agent has the data folder, with 6', inAll('faults/engine-adversity'), async () => {
    const first = longshore(['agent', '--listen', '127.0.0.1:0', '--data-dir', dataDir('a5')]);
    await first.line(/ is ready at /);
    const { code, stderr } = await ends(['agent', '--listen', '127.0.0.1:0', '--data-dir', dataDir('a5')]);
    expect(code).toBe(6);
    expectSentence(stderr, /agent/);
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  });

  it('says that its data folder cannot be, with 6', async () => {
    await writeFile(dataDir('file'), '');
    const { code, stderr } = await ends(['agent', '--listen', '127.0.0.1:0', '--data-dir', dataDir('file')]);
    expect(code).toBe(6);
    expectSentence(stderr, /data folder .*file\/agent/);
  });

  it('does not show its key, wherever that comes from', async () => {
    await writeFile(dataDir('key'), 'ls_secret_key\n');
    const args = [
      'agent',
      '--listen',
      '127.0.0.1:0',
      '--data-dir',
      dataDir('a6'),
      '--api-key-file',
      dataDir('key'),
      '--log-level',
      'debug',
    ];
    const run = longshore([...args, '--service-url', 'http://127.0.0.1:9']);
    const [, url] = await run.line(/ is ready at (\S+)$/);
    const session = await fetch(`${url}/api/v1/login`);
    const said = await session.text();
    const status = await (await fetch(`${url}/api/v1/status`)).text();
    run.process.kill('SIGTERM');
    await run.ended;
    for (const text of [said, status, run.stdout(), run.stderr()]) expect(text).not.toContain('ls_secret_key');
  });

  it('misses its key file in words', async () => {
    const { code, stderr } = await ends(['agent', '--data-dir', dataDir('a7'), '--api-key-file', dataDir('nowhere')]);
    expect(code).toBe(6);
    expectSentence(stderr, /The file .*nowhere with the API key cannot be read/);
  });
});

describe('send, get and ls', () => {
  const own = (name: string) => ['--no-agent', '--data-dir', join(folder.path, name), '--log-level', 'silent'];
  const nobody = 'http://127.0.0.1:9';

  it('send says that there is nothing at the path, with 6', async () => {
    const { code, stderr } = await longshoreHere(['send', join(folder.path, 'nothing'), ...own('s1')]);
    expect(code).toBe(6);
    expectSentence(stderr, /There is no file or folder at .*nothing\.$/m);
  });

  it('send asks for a session, with 3', async () => {
    const { code, stderr } = await longshoreHere(['send', folder.path, ...own('s2')]);
    expect(code).toBe(3);
    expectSentence(stderr, /Nobody is signed in\./);
  });

  it('send says that the service cannot be reached, with 4', async () => {
    const { code, stderr } = await longshoreHere(['send', folder.path, ...own('s3'), '--service-url', nobody], {
      env: { LONGSHORE_API_KEY: 'ls_x' },
    });
    expect(code).toBe(4);
    expectSentence(stderr, /The service at http:\/\/127\.0\.0\.1:9 cannot be reached/);
  });

  it('get says that the service of the link cannot be reached, with 4, and the secret nowhere', async () => {
    const { code, stdout, stderr } = await longshoreHere(['get', `${nobody}/d/1?secret=hush`, join(folder.path, 'got'), ...own('g1')]);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).not.toContain('hush');
  });

  it('get says that the folder cannot be made, with 6', async () => {
    await writeFile(join(folder.path, 'occupied'), '');
    const { code, stderr } = await longshoreHere(['get', `${nobody}/d/1?secret=x`, join(folder.path, 'occupied'), ...own('g2')]);
    expect(code).toBe(6);
    expectSentence(stderr, /there is a file of this name\. Choose another one\./);
  });

  it('ls says that the link’s service cannot be reached, with 4', async () => {
    const { code, stderr } = await longshoreHere(['ls', '-'], { input: `${nobody}/d/1?secret=hush\n` });
    expect(code).toBe(4);
    expectSentence(stderr, /cannot be reached/);
    expect(stderr).not.toContain('hush');
  });

  it.each(['send', 'get', 'ls'])('%s says that no agent answers where one should, with 4', async (name) => {
    const what = { send: [folder.path], get: [`${nobody}/d/1?secret=x`, folder.path], ls: [] }[name]!;
    const { code, stderr } = await longshoreHere([name, ...what, '--agent-url', nobody]);
    expect(code).toBe(4);
    expectSentence(stderr, /No agent answers at http:\/\/127\.0\.0\.1:9\./);
  });

  it('ls says that something else answers', async () => {
    const server = createServer((_, response) => response.end('<h1>Hello</h1>'));
    const port = await listening(server);
    const { code, stderr } = await longshoreHere(['ls', '--agent-url', `http://127.0.0.1:${port}`]);
    server.close();
    expect(code).toBe(1);
    expectSentence(stderr, /is not a Longshore agent/);
  });
});

describe('service', () => {
  it('says that its data folder cannot be, with 6', async () => {
    await mkdir(join(folder.path, 'v1'));
    await writeFile(join(folder.path, 'v1/service'), '');
    const { code, stdout, stderr } = await ends(['service', '--listen', '127.0.0.1:0', '--data-dir', join(folder.path, 'v1')]);
    expect([code, stdout]).toEqual([6, '']);
    expectSentence(stderr, /v1\/service/);
  });

  it('says what a limit for new Teams looks like, with 2', async () => {
    const { code, stderr } = await longshoreHere(['service', '--team-storage', 'lots']);
    expect(code).toBe(2);
    expect(stderr).toContain("'--team-storage <size>' argument 'lots' is invalid. Give a size like 500GB");
  });

  it('says that the database cannot be reached, with 4', inAll('faults/service-start; unit/main/cli/failure'), async () => {
    const args = ['service', '--listen', '127.0.0.1:0', '--data-dir', join(folder.path, 'v2')];
    const { code, stderr } = await ends(args, { env: { DATABASE_URL: 'postgres://user:hush@127.0.0.1:9/longshore' } });
    expect(code).toBe(4);
    expect(stderr).not.toContain('hush');
    expectSentence(stderr, /database/i);
  });
});

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}
