import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewToken } from '#protocol/agent/tokens.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type CommandRun, longshore } from '../support/engine/command-line.ts';
import { encodingsOf, filesBelow, processTree, secretsIn } from '../support/engine/secret-scan.ts';
import { newPortal } from '../support/service/portals.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '../support/service/start-service.ts';
import { seededBytes, writeTree } from '../support/system/file-tree.ts';
import { tempFolder } from '../support/system/temp-folder.ts';
import { unzipped } from '../support/system/unzipped.ts';

/**
 * Secrets of every kind are planted in two real agents, which then work: sign in, send, receive, fail, restart. After
 * that they are looked for wherever they must not be, in every disguise.
 */

interface Agent {
  readonly run: CommandRun;
  readonly url: string;
}

const secrets: Record<string, string> = {
  'the password of the account': ownerPassword,
  'a wrong password': 'Kittiwake-1742/wrong+pass',
  'the access code of the Portal': 'Guillemot 88&7',
  'a wrong access code': 'Fulmar?wrong=code',
  'the password of the package': 'Razorbill "3141" pass',
  'a wrong password of the link': 'Puffin_wrong_password',
  'a wrong token': 'lst_Dunlin0000000000000000000000000000000000000',
  'the key of the vault': 'Sanderling key of the vault 2718',
};

let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let keyed: Agent;
let signedIn: Agent;
const answers: string[] = [];
const outputs: CommandRun[] = [];
const at = (...names: string[]): string => join(folder.path, ...names);

async function startAgent(name: string, more: readonly string[] = []): Promise<Agent> {
  const args = ['agent', '--listen', '127.0.0.1:0', '--data-dir', at(name), '--service-url', service.url, '--log-level', 'debug', ...more];
  const run = longshore(args, { cwd: folder.path, env: { LONGSHORE_VAULT_KEY: secrets['the key of the vault']! } });
  outputs.push(run);
  return { run, url: (await run.line(/http:\/\/[^\s/]+/))[0] };
}

async function stop({ run }: Agent): Promise<void> {
  run.process.kill('SIGTERM');
  expect(await run.ended).toBe(0);
}

async function ask<T = Record<string, unknown>>(
  { url }: Agent,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<{ status: number; body: T }> {
  const reply = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) answers.push(text);
  return { status: reply.status, body: (text.startsWith('{') ? JSON.parse(text) : undefined) as T };
}

async function over(agent: Agent, id: string): Promise<AgentTransfer> {
  for (;;) {
    const { body } = await ask<AgentTransfer>(agent, 'GET', `/transfers/${id}`);
    if (['complete', 'error', 'cancelled'].includes(body.state)) return body;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  secrets['the API key'] = service.apiKey;
  writeTree(at('day12'), { 'clip.mov': seededBytes(200_000, 1), 'notes.txt': 'notes' });
  mkdirSync(at('in'));
  writeFileSync(at('key'), service.apiKey, { mode: 0o600 });
  keyed = await startAgent('keyed', ['--api-key-file', at('key')]);
  signedIn = await startAgent('signed-in');
  const portal = await newPortal(service, { access_code: secrets['the access code of the Portal']! });

  // Signs in, wrongly and rightly.
  const account = { email: ownerEmail, password: secrets['a wrong password'] };
  expect((await ask(signedIn, 'POST', '/login', account)).status).toBe(401);
  expect((await ask(signedIn, 'POST', '/login', { ...account, password: ownerPassword })).status).toBe(200);

  // Sends with a password on the link, and receives by it.
  const upload = { team_id: service.teamId, paths: [at('day12')], package_name: 'Dailies', recipients: [] };
  const sent = await ask<AgentTransfer>(keyed, 'POST', '/uploads', { ...upload, password: secrets['the password of the package'] });
  const { url } = await over(keyed, sent.body.id);
  secrets['the secret of the link'] = new URL(url).searchParams.get('secret')!;
  const download = { url, dst_folder: at('in') };
  const wrong = await ask(signedIn, 'POST', '/downloads', { ...download, password: secrets['a wrong password of the link'] });
  expect(wrong.status).toBe(401);
  const got = await ask<AgentTransfer>(signedIn, 'POST', '/downloads', { ...download, password: secrets['the password of the package'] });
  expect(await over(signedIn, got.body.id)).toMatchObject({ state: 'complete', error: null });

  // Sends through a Portal.
  const through = {
    portal_id: portal.id,
    sender: 'mia@example.com',
    package_name: 'Day 12',
    package_description: '',
    paths: [at('day12')],
  };
  const code = { access_code: secrets['a wrong access code'] };
  expect((await ask(signedIn, 'POST', '/uploads/portal', { ...through, ...code })).status).toBe(401);
  code.access_code = secrets['the access code of the Portal'];
  const portalUpload = await ask<AgentTransfer>(signedIn, 'POST', '/uploads/portal', { ...through, ...code });
  expect(await over(signedIn, portalUpload.body.id)).toMatchObject({ state: 'complete' });

  // Tokens of applications, right and wrong.
  const token = await ask<NewToken>(signedIn, 'POST', '/tokens', { name: 'Farm', scopes: ['read'] });
  secrets['a token'] = token.body.token;
  expect((await ask(signedIn, 'GET', '/transfers', undefined, token.body.token)).status).toBe(200);
  expect((await ask(signedIn, 'GET', '/transfers', undefined, secrets['a wrong token'])).status).toBe(401);

  // Fails in every way that a caller's own words could come back by.
  const link = secrets['the secret of the link'];
  for (const body of [
    { ...download, url: `${url}x` },
    { ...download, url: `http://127.0.0.1:9/d/x?secret=${link}` },
    { ...download, url: `ftp://x/d/x?secret=${link}` },
    { ...download, url: `nothing secret=${link}` },
    { ...download, password: 7, url },
    `{"url":"${url}"`,
    `{"url":"${url}",}`,
    `"${link}`,
    `${link}`,
    secrets['a wrong access code']!,
    `{"x":${secrets['a wrong access code']}}`,
  ])
    expect((await ask(signedIn, 'POST', '/downloads', body)).status).toBeGreaterThanOrEqual(400);
  const { 'the password of the account': password, 'the API key': key } = secrets;
  for (const body of [
    { email: password, password },
    { email: 'x', password },
    `{"email":"a@example.com","password":"${password}" oops`,
    key,
  ])
    expect((await ask(signedIn, 'POST', '/login', body)).status).toBeGreaterThanOrEqual(400);
  expect(
    (await ask(signedIn, 'POST', '/uploads', { ...upload, password: secrets['the password of the package'], team_id: 'nobody' })).status,
  ).toBe(404);

  // An upload that fails when it is under way, as its key is no good any more, and one that is cancelled.
  const late = await ask<AgentTransfer>(keyed, 'POST', '/uploads', {
    ...upload,
    auto_finalize: false,
    password: secrets['the password of the package'],
  });
  await service.call('DELETE', `/v1/api_keys/${service.apiKeyId}`, { headers: { 'x-user-token': service.userToken } });
  await ask(keyed, 'DELETE', `/transfers/${late.body.id}`);
  await ask(keyed, 'POST', '/uploads', upload);

  // One whose file is gone when its turn comes, which the log tells of.
  writeTree(at('gone'), { 'a.txt': 'a' });
  await ask(signedIn, 'PUT', '/transfers/pause');
  const gone = await ask<AgentTransfer>(signedIn, 'POST', '/uploads/portal', { ...through, ...code, paths: [at('gone')] });
  rmSync(at('gone'), { recursive: true });
  await ask(signedIn, 'PUT', '/transfers/resume');
  expect(await over(signedIn, gone.body.id)).toMatchObject({ state: 'error' });

  // The service is gone: what waits, and what is asked meanwhile, fails.
  await service.stop();
  await ask(signedIn, 'GET', '/teams');
  await ask(signedIn, 'POST', '/login', { email: ownerEmail, password: secrets['a wrong password'] });
  await ask(signedIn, 'POST', '/downloads', { ...download, password: secrets['the password of the package'] });
});

afterAll(async () => {
  for (const run of outputs) run.process.kill('SIGKILL');
  await service?.close();
  await folder?.remove();
});

/** Of all that was planted, what stands there. Signed tokens of the service are known by their form. */
function found(bytes: Buffer | string): string[] {
  const text = Buffer.from(bytes).toString('latin1');
  return [...secretsIn(bytes, secrets), ...(/eyJ[\w-]{20,}\.eyJ[\w-]{20,}\./.test(text) ? ['a token of the service'] : [])];
}

describe('a planted secret', () => {
  it('is found by this search in every disguise', () => {
    expect(Object.keys(secrets)).toHaveLength(11);
    for (const [name, secret] of Object.entries(secrets)) {
      for (const disguise of encodingsOf(secret)) expect(found(`before ${disguise} after`), `${name}: ${disguise}`).toContain(name);
      for (const padding of ['', 'x', 'xy']) expect(found(Buffer.from(`${padding}${secret}${padding}`).toString('base64'))).toContain(name);
    }
  });

  it('is in no answer that refuses something', () => {
    expect(answers.length).toBeGreaterThan(15);
    for (const answer of answers) expect([answer, found(answer)]).toEqual([answer, []]);
  });

  it('is not in the support bundle of either agent', async () => {
    for (const agent of [keyed, signedIn]) {
      const reply = await fetch(`${agent.url}/api/v1/support_bundle`, { method: 'POST' });
      expect([reply.status, reply.headers.get('content-disposition')]).toEqual([200, expect.stringContaining('.zip"')]);
      const zip = Buffer.from(await reply.arrayBuffer());
      expect(found(zip)).toEqual([]);
      const entries = unzipped(zip);
      expect(entries.size).toBe(7);
      expect(entries.get('longshore-support/transfers.json')!.toString()).toContain('"Dailies"');
      for (const [name, bytes] of entries) expect([name, found(bytes)]).toEqual([name, []]);
    }
  });

  it.runIf(process.platform === 'linux')('is in no command line of any process, and in no environment of a child', async () => {
    const commands: string[] = [];
    for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
      const command = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
      if (command.includes('longshore.js')) commands.push(command);
    }
    // Both agents are among them.
    expect(commands.length).toBeGreaterThanOrEqual(2);
    for (const command of commands) expect([command, found(command)]).toEqual([command, []]);
    for (const { run } of [keyed, signedIn]) {
      const [own, ...children] = await processTree(run.process.pid!);
      expect(own!.command).toContain('agent');
      for (const child of children) expect([child.command, found(child.environment)]).toEqual([child.command, []]);
    }
  });

  it('is in no file of the data folders, while the agents run and after', async () => {
    const look = async () => {
      for (const name of ['keyed', 'signed-in']) {
        const files = await filesBelow(at(name));
        expect(files.map(({ path }) => path)).toContain(at(name, 'agent', 'agent.db'));
        // Receipts are signed by the service for everybody to read.
        for (const { path, bytes } of files.filter(({ path }) => !path.includes('/receipts/')))
          expect([path, found(bytes)]).toEqual([path, []]);
      }
    };
    await look();
    for (const agent of [keyed, signedIn]) await stop(agent);
    await look();
  });

  it('is in no line of the log at its most talkative, nor on stdout', () => {
    expect(outputs.map((run) => run.stderr()).join('')).toContain('a transfer failed');
    for (const run of outputs) expect([found(run.stdout()), found(run.stderr())]).toEqual([[], []]);
  });
});
