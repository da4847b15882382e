import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentClient } from '#main/cli/agent-connection/remote-agent.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { type RateLimit, weekdays } from '#protocol/agent/settings.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import { totpCode } from '#service/mfa/totp.ts';
import { type CommandEnd, type CommandRun, longshore, longshoreHere } from '#test/support/engine/command-line.ts';
import { inAll } from '#test/support/level.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** An agent that a file configures, on a Unix socket, steered by commands alone. The tests build on each other. */

const password = ownerPassword;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: TestService;
let agent: CommandRun;
let environment: Readonly<Record<string, string>>;

const at = (name: string): string => join(folder.path, name);

async function startAgent(): Promise<CommandRun> {
  const run = longshore(['agent', '--config', at('agent.yaml')], { env: { LONGSHORE_VAULT_KEY: 'a key for tests alone' } });
  await run.line(/^Longshore agent is ready at unix:/);
  return run;
}

const ends = (args: readonly string[], input?: string): Promise<CommandEnd> =>
  longshoreHere(args, { env: environment, ...(input === undefined ? {} : { input }) });

const transfers = async (): Promise<AgentTransfer[]> => JSON.parse((await ends(['ls', '--json'])).stdout);
const named = async (name: string): Promise<AgentTransfer | undefined> => (await transfers()).find((one) => one.name === name);

/** Starts sending, and comes back once the agent has begun to move bytes. */
async function sendSlowly(name: string): Promise<CommandRun> {
  const run = longshore(['send', at('dailies'), '--name', name], { env: environment });
  let [bytes, ended] = [0, false];
  void run.ended.then(() => {
    ended = true;
  });
  while (bytes === 0 && !ended) bytes = (await named(name))?.bytes ?? 0;
  expect(ended, run.stderr()).toBe(false);
  return run;
}

/** A command in a real terminal, which types the given lines as their prompts come; `seen` hears of all that it shows. */
async function inTerminal(
  args: readonly string[],
  answers: readonly (readonly [prompt: string, line: string])[] = [],
  seen = (_: string): void => {},
) {
  const program = fileURLToPath(new URL('../support/engine/pseudo-terminal.py', import.meta.url));
  const cli = fileURLToPath(new URL('../../main/cli/longshore.js', import.meta.url));
  const child = spawn('python3', [program, JSON.stringify(answers), process.execPath, cli, ...args], {
    env: { ...process.env, ...environment, TERM: 'xterm' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const shown = text(child.stdout.on('data', (bytes) => seen(String(bytes))));
  const [code] = await once(child, 'exit');
  return { code, shown: await shown };
}

async function limit(bytesPerSecond: number): Promise<void> {
  const day = { enabled: false, start: '00:00', end: '00:00' };
  const schedule = Object.fromEntries(weekdays.map((name) => [name, day])) as RateLimit['schedule'];
  await agentClient({ url: `unix:${at('agent.sock')}` }).call('setUploadRateLimit', {
    body: { enabled: bytesPerSecond > 0, rate_limit_bps: bytesPerSecond, schedule_enabled: false, schedule },
  });
}

beforeAll(async () => {
  folder = await tempFolder();
  writeTree(at('dailies'), { 'A001.mov': seededBytes(9_000_000, 1), 'sound/one.wav': seededBytes(40_000, 2) });
  service = await startTestService();
  await writeFile(
    at('agent.yaml'),
    `listen: unix:${at('agent.sock')}\nservice_url: ${service.url}\ndata_dir: agent-data\nlog_level: error\n`,
  );
  environment = { LONGSHORE_AGENT_URL: `unix:${at('agent.sock')}` };
  agent = await startAgent();
});

afterAll(async () => {
  agent.process.kill('SIGTERM');
  await agent.ended;
  await service.close();
  await folder.remove();
});

describe('login and logout', () => {
  it('status says that nobody is signed in', async () => {
    const { code, stdout } = await ends(['status']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Agent +\d+\.\d+\.\d+ at unix:.*agent\.sock, since /);
    expect(stdout).toContain('none: sign in with `longshore login`');
  });

  it('refuses a wrong password with 3, and a password that nobody can type with 2', async () => {
    expect(await ends(['login', ownerEmail, '--password-stdin'], 'wrong\n')).toMatchObject({ code: 3, stdout: '' });
    expect(await ends(['login', ownerEmail], password)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--password-stdin'),
    });
  });

  it('takes the password from stdin, shows the session, and signs out', async () => {
    const { code, stdout } = await ends(['login', ownerEmail, '--password-stdin'], `${password}\n`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Signed in as owner@example\.com at http:\S+\. Team: Harbour\.\n$/)]);
    const status = JSON.parse((await ends(['status', '--json'])).stdout);
    expect(status).toMatchObject({ signed_in: true, sessions: [{ user: { email: ownerEmail }, state: 'active' }] });
    expect((await ends(['logout', 'jonas@example.com'])).code).toBe(5);
    expect(await ends(['logout'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Signed out: owner@example\.com at /) });
    expect((await ends(['logout'])).code).toBe(3);
  });

  it('asks for it on a terminal, and shows no sign of it', inAll('password and code of a second factor on a terminal'), async () => {
    const { code, shown } = await inTerminal(
      ['login'],
      [
        ['E-mail: ', ownerEmail],
        [`Password of ${ownerEmail}: `, password],
      ],
    );
    expect([code, shown]).toEqual([0, expect.stringContaining(`Signed in as ${ownerEmail}`)]);
    expect(shown).toContain(`E-mail: ${ownerEmail}\r\n`);
    expect(shown).not.toContain(password.slice(0, 4));
    expect(await inTerminal(['login', ownerEmail], [['Password', '\u0003']])).toMatchObject({ code: 130 });
  });
});

describe('login with a second factor', () => {
  let recovery: readonly string[];
  let headers: Record<string, string>;

  beforeAll(async () => {
    const { call } = service;
    const { body: auth } = await call<AuthResult>('POST', '/v1/auth', { body: { email: ownerEmail, password } });
    headers = { 'x-user-token': auth.token };
    const { body: begun } = await call<{ secret: string }>('POST', '/v1/mfa/totp', { headers, body: { password } });
    const confirm = { headers, body: { code: totpCode(begun.secret, new Date()) } };
    recovery = (await call<{ recovery_codes: string[] }>('POST', '/v1/mfa/totp/confirm', confirm)).body.recovery_codes;
  });
  afterAll(async () => {
    await service.call('POST', '/v1/mfa/totp/remove', { headers, body: { password, code: recovery[9] } });
  });

  it('says without a terminal that a code is missing, and takes it by --code, once', async () => {
    const login = ['login', ownerEmail, '--password-stdin'];
    expect(await ends(login, password)).toMatchObject({ code: 3, stderr: expect.stringContaining('by --code') });
    expect(await ends([...login, '--code', recovery[0]!], password)).toMatchObject({ code: 0 });
    expect((await ends(['logout'])).code).toBe(0);
    expect(await ends([...login, '--code', recovery[0]!], password)).toMatchObject({ code: 3, stdout: '' });
  });

  it('asks for it on a terminal, again if it is wrong, shows no sign of it, and stays signed in', async () => {
    const { code, shown } = await inTerminal(
      ['login', ownerEmail],
      [
        [`Password of ${ownerEmail}: `, password],
        ['or a recovery code: ', recovery[0]!],
        ['or a recovery code: ', recovery[1]!],
      ],
    );
    expect([code, shown]).toEqual([0, expect.stringContaining(`Signed in as ${ownerEmail}`)]);
    expect(shown).toContain('That code is wrong, or was used already.');
    expect(shown).not.toContain(recovery[1]!.slice(0, 4));
  });
});

describe('steering', () => {
  it('wants to be told which', async () => {
    expect(await ends(['pause'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') });
    expect(await ends(['cancel', '--all', 'x'])).toMatchObject({ code: 2 });
    expect(await ends(['retry', 'nothing'])).toMatchObject({ code: 5, stderr: expect.stringContaining('no transfer "nothing"') });
    expect(await ends(['pause', '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'])).toMatchObject({ code: 5 });
    expect(await ends(['wait'])).toEqual({ code: 0, stdout: '', stderr: 'Nothing is under way.\n' });
  });

  it('pauses, goes on, cancels and tries again, by name and by id', async () => {
    await limit(400_000);
    const sending = await sendSlowly('Day 1');
    expect(await ends(['pause', 'Day 1', '--hours', '2'])).toMatchObject({ code: 0, stdout: 'Paused "Day 1" for 2 hours.\n' });
    const { id, state } = (await named('Day 1'))!;
    expect(state).toBe('paused');
    expect(await ends(['resume', id])).toMatchObject({ code: 0, stdout: 'Goes on with "Day 1".\n' });
    const some = await ends(['cancel', id, 'nothing', '--json']);
    expect(some).toMatchObject({ code: 10, stderr: expect.stringContaining('no transfer "nothing"') });
    expect(JSON.parse(some.stdout)).toMatchObject([
      { id, name: 'Day 1', done: true },
      { name: 'nothing', done: false },
    ]);
    expect(await sending.ended).toBe(1);
    expect(await ends(['wait', id])).toMatchObject({ code: 10, stdout: 'Day 1: Cancelled\n' });
    expect(await ends(['cancel', id])).toMatchObject({ code: 1, stderr: expect.stringContaining('over already') });
    expect(await ends(['retry', id])).toMatchObject({ code: 0, stdout: 'Tries again "Day 1".\n' });
    expect((await ends(['pause', '--all'])).code).toBe(0);
    expect((await ends(['status'])).stdout).toMatch(/^Paused +all, until they are resumed/m);
    expect((await ends(['resume', '--all'])).code).toBe(0);
    expect(await ends(['cancel', '--all'])).toMatchObject({ code: 0, stdout: 'Cancelled 1 transfer.\n' });
  });
});

it('every command prints JSON for programs where asked', async () => {
  const json = async (args: readonly string[], input?: string): Promise<unknown> => {
    const { code, stdout, stderr } = await ends([...args, '--json'], input);
    expect([args, code, stderr]).toEqual([args, 0, expect.not.stringContaining('longshore:')]);
    return JSON.parse(stdout);
  };
  await limit(0);
  const { id } = (await named('Day 1'))!;
  expect(await json(['retry', id])).toEqual([{ id, name: 'Day 1', done: true, message: '' }]);
  expect(await json(['wait', id])).toMatchObject([{ id, state: 'complete', links: [{ url: expect.stringMatching(/^http/) }] }]);
  expect(await json(['send', at('dailies/sound'), '--name', 'Sound'])).toMatchObject({ name: 'Sound', state: 'complete', files: 1 });
  expect(await json(['pause', '--all'])).toEqual({ all: true });
  const sending = longshore(['send', at('dailies'), '--name', 'Later'], { env: environment });
  await expect.poll(() => named('Later')).toBeDefined();
  expect(await json(['pause', 'Later'])).toMatchObject([{ name: 'Later', done: true }]);
  expect(await json(['resume', '--all'])).toEqual({ all: true });
  expect(await json(['cancel', 'Later'])).toMatchObject([{ name: 'Later', done: true }]);
  expect(await sending.ended).toBe(1);
  expect(await json(['cancel', '--all'])).toMatchObject({ done: 0, refused: 0 });
  const found = async (...search: string[]) => ((await json(['ls', ...search])) as AgentTransfer[]).map(({ name }) => name);
  expect(await found('--search', 'sou')).toContain('Sound');
  // By the name of a file in it, whatever the case; and by nothing that is in none.
  expect(await found('--search', 'a001.MOV')).toEqual(expect.arrayContaining(['Day 1']));
  expect(await found('--search', 'a001.MOV')).not.toContain('Sound');
  expect(await found('--search', 'nowhere')).toEqual([]);
  expect(await ends(['ls', '--search', 'nowhere'])).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing found for "nowhere".\n' });
  expect(await ends(['ls', 'https://x.example/d/1?secret=2', '--search', 'a'])).toMatchObject({ code: 2 });
  const session = { user: { email: ownerEmail }, teams: [{ name: 'Harbour' }], state: 'active' };
  expect(await json(['status'])).toMatchObject({ signed_in: true, sessions: [session], summary: { states: { complete: 2 } } });
  expect(await json(['logout'])).toMatchObject([session]);
  expect(await json(['login', ownerEmail, '--password-stdin'], password)).toMatchObject(session);
});

describe('automations', () => {
  const automation = async (name: string) => {
    const all = JSON.parse((await ends(['automation', 'ls', '--json'])).stdout) as Automation[];
    return all.find((one) => one.name === name);
  };

  it('are made, tried and run by commands, and say what they did', async () => {
    mkdirSync(at('outbox'));
    const made = await ends([
      'automation',
      'add',
      'team-upload',
      'Outbox',
      '--folder',
      at('outbox'),
      '--settle',
      '1',
      '--package-name',
      '{name} {counter}',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Made "Outbox" \(\w+\): /) });
    expect(await ends(['automation', 'add', 'team-upload', 'Outbox', '--folder', at('outbox')])).toMatchObject({ code: 1 });
    // What lies there at the start is left alone.
    await expect.poll(async () => (await automation('Outbox'))?.last_run_at ?? '').toMatch(/^20/);
    writeTree(at('outbox'), { 'card/A001.mov': seededBytes(100_000, 3), 'later.mov.part': seededBytes(10, 4) });
    expect((await ends(['automation', 'run', 'Outbox'])).code).toBe(0);
    await expect.poll(async () => (await automation('Outbox'))?.counts.sent, { timeout: 30_000 }).toBe(1);
    expect((await named('card 1'))?.state).toBe('complete');
    expect((await ends(['automation', 'history', 'Outbox'])).stdout).toMatch(/ sent +card 1\n$/);
    expect((await ends(['automation', 'history', 'Outbox', '--ledger'])).stdout).toMatch(/ sent .* card\/A001\.mov\n$/);
    expect((await ends(['automation', 'dry-run', 'Outbox'])).stdout).toContain('later.mov.part');
  });

  it('go into a file and come back, and a pause stays', async () => {
    const { stdout: yaml } = await ends(['automation', 'export', 'Outbox']);
    await writeFile(at('automations.yaml'), yaml.replace('settle_seconds: 1', 'settle_seconds: 2'));
    const add = () => ends(['automation', 'add', '--file', at('automations.yaml')]);
    expect(await add()).toMatchObject({ code: 0, stdout: '0 automations made, 1 changed, 0 as before.\n' });
    expect((await ends(['automation', 'pause', 'Outbox'])).stdout).toBe('Paused "Outbox".\n');
    await writeFile(at('automations.yaml'), yaml.replace('    active: true\n', '').replace('settle_seconds: 1', 'settle_seconds: 2'));
    expect((await add()).stdout).toBe('0 automations made, 0 changed, 1 as before.\n');
    expect(await automation('Outbox')).toMatchObject({ active: false, state: 'resting', settle_seconds: 2 });
    await writeFile(at('automations.yaml'), yaml.replace('folder:', 'fodler:'));
    expect(await add()).toMatchObject({ code: 2, stderr: expect.stringMatching(/Line \d+: .*fodler/) });
  });

  it("are made by the agent's configuration file at its start, and once", inAll('unit/main/provision'), async () => {
    const { team_id } = (await automation('Outbox')) as { team_id: string };
    const config = await readFile(at('agent.yaml'), 'utf8');
    await writeFile(
      at('agent.yaml'),
      `${config}automations:\n  - name: Provisioned\n    kind: team_upload\n    folder: ${at('provisioned')}\n    team_id: ${team_id}\n    recipients: []\n`,
    );
    mkdirSync(at('provisioned'));
    for (let start = 0; start < 2; start += 1) {
      agent.process.kill('SIGTERM');
      await agent.ended;
      agent = await startAgent();
      await expect.poll(() => automation('Provisioned')).toMatchObject({ state: 'watching', settle_seconds: 30 });
    }
    const { created_at, updated_at } = (await automation('Provisioned'))!;
    expect(updated_at).toBe(created_at);
    expect((await ends(['automation', 'rm', 'Provisioned', 'Outbox'])).code).toBe(0);
    await writeFile(at('agent.yaml'), config);
  });
});

describe('an agent that is asked to stop in the midst of a transfer', () => {
  it('ends with 0 within 10 s, goes on at its next start, and loses nothing', async () => {
    await limit(1_000_000);
    const sending = await sendSlowly('Day 2');
    agent.process.kill('SIGTERM');
    // One that is not done within 9 s ends by a signal.
    expect(await agent.ended).toBe(0);
    expect(await sending.ended).toBe(4);
    expect((await ends(['status'])).code).toBe(4);

    agent = await startAgent();
    await limit(0);
    const { code, shown } = await inTerminal(['wait', 'Day 2']);
    expect([code, shown]).toEqual([0, expect.stringContaining('Day 2: Sent ')]);
    const { url } = (await named('Day 2'))!;
    const got = await ends(['get', '-', at('in'), '--json'], url);
    expect([got.code, JSON.parse(got.stdout).state]).toEqual([0, 'complete']);
    expect(readTree(at('in/dailies'))).toEqual(readTree(at('dailies')));
  });

  it('shows a bar on a terminal', inAll('unit/main/cli/progress'), async () => {
    await limit(150_000);
    const sending = await sendSlowly('Day 3');
    let lifted: Promise<void> | null = null;
    const { code, shown } = await inTerminal(['wait'], [], (text) => {
      if (text.includes('Sending [')) lifted ??= limit(0);
    });
    await lifted;
    expect(code).toBe(0);
    expect(shown).toMatch(/Sending \[#*-+\] \d+% {2}[\d.]+ \w?B of 9\.04 MB, \d of 2 files, [\d.]+ \w?B\/s/);
    expect(await sending.ended).toBe(0);
    expect(sending.stdout()).toMatch(/^http\S+\n$/);
  });

  it('printed its secrets nowhere', async () => {
    for (const printed of [agent.stdout(), agent.stderr(), await readFile(at('agent.yaml'), 'utf8')])
      expect(printed).not.toContain(password);
  });
});
