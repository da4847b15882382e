import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import { readSecret } from '#service/data-folder.ts';
import { readPidFile } from '#service/database/orphan.ts';
import { connectionTo } from '#service/database/private-postgres.ts';
import { totpCode } from '#service/mfa/totp.ts';
import { longshore, longshoreHere } from '#test/support/engine/command-line.ts';
import { inAll } from '#test/support/level.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { type ServiceProcess, startServiceProcess } from '#test/support/service/start-service-process.ts';
import { copyStartedFolder } from '#test/support/service/started-folder.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The operator's commands: as real processes where no service runs, and beside one that does. */

const owner = { email: 'owner@example.com', password: 'correct horse battery staple', team: 'Harbour' };
const generated = /Password: ([a-z2-9]{6}(?:-[a-z2-9]{6}){3}) {3}\(generated; shown only this once\)/;

let folder: Awaited<ReturnType<typeof tempFolder>>;
let dataDir: string;
beforeAll(async () => {
  folder = await tempFolder();
  dataDir = join(folder.path, 'data');
  await mkdir(dataDir, { mode: 0o711 });
  await copyStartedFolder(join(dataDir, 'service'), owner);
});
afterAll(() => folder.remove());

type Options = Parameters<typeof longshoreHere>[1];
const withData = () => ['--data-dir', dataDir];
const admin = (args: readonly string[], options: Options = {}, place = withData()) => longshoreHere(['admin', ...args, ...place], options);

async function adminProcess(args: readonly string[]) {
  const run = longshore(['admin', ...args, ...withData()]);
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

function expectSentence(stderr: string, pattern: RegExp) {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(pattern);
  expect(stderr).not.toMatch(/\n\s+at |node:internal|\.ts:\d/);
}

describe('help', () => {
  it.each([
    'team create',
    'team list',
    'team suspend',
    'team reactivate',
    'user create',
    'user list',
    'user reset-password',
    'user mfa reset',
    'operator add',
    'operator remove',
    'operator list',
    'audit verify',
    'backup',
    'restore',
    'check',
    'doctor',
  ])('of %s has examples, exit codes and where options can come from', async (name) => {
    const { code, stdout, stderr } = await longshoreHere(['admin', ...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: longshore admin ${name}`);
    expect(stdout).toMatch(/\nExamples:\n {2}longshore admin /);
    expect(stdout).toMatch(/\nExit codes:\n {2}0 {4}done\n/);
    expect(stdout).toContain('LONGSHORE_DATA_DIR');
    expect(stdout).not.toMatch(/--password(?!-file)/);
  });

  it.each([[['admin', 'team']], [['admin', 'user']], [['admin', 'team', 'sink']], [['admin', 'team', 'create', 'X']]])(
    'stands in for what is not understood in %j',
    async (args) => {
      const { code, stdout, stderr } = await longshoreHere(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/Usage: longshore admin|unknown command|required option/);
    },
  );
});

describe('where no service runs', () => {
  it('starts the database for itself, and leaves nothing running', async () => {
    const made = await adminProcess(['team', 'create', 'Harbour Films', '--owner', 'mia@example.com', '--owner-name', 'Mia Sandberg']);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toMatch(/^Made the Team "Harbour Films" \(harbour-films\) with its owner\.\n {2}E-mail: {3}mia@example\.com\n/);
    expect(made.stdout).toMatch(generated);
    const teams = await adminProcess(['team', 'list', '--json']);
    expect(JSON.parse(teams.stdout)).toMatchObject([
      { name: 'Harbour', subdomain: 'harbour', state: 'active', members: 1 },
      { name: 'Harbour Films', subdomain: 'harbour-films', state: 'active', members: 1 },
    ]);
    const users = await adminProcess(['user', 'list', '--team', 'harbour-films', '--json']);
    expect(JSON.parse(users.stdout)).toMatchObject([
      { email: 'mia@example.com', name: 'Mia Sandberg', teams: [{ name: 'Harbour Films', role: 'owner' }] },
    ]);
    expect(await processesWith(dataDir)).toEqual([]);
  });

  it('says that there is no service in a folder, and makes none', async () => {
    const nowhere = join(folder.path, 'nowhere');
    const { code, stderr } = await admin(['team', 'list'], {}, ['--data-dir', nowhere]);
    expect(code).toBe(6);
    expectSentence(stderr, /There is no service in .*nowhere\/service\./);
    await expect(mkdir(nowhere)).resolves.toBeUndefined();
  });

  it('says that a database cannot be reached, without its password', async () => {
    const { code, stderr } = await admin(['team', 'list'], {}, ['--database-url', 'postgres://u:hush@127.0.0.1:9/d']);
    expect(code).toBe(4);
    expectSentence(stderr, /The database at 127\.0\.0\.1:9\/d cannot be used/);
    expect(stderr).not.toContain('hush');
  });

  it('says that no service has used a database yet, and makes nothing in it', async () => {
    const postgres = await emptyTestDatabase();
    try {
      for (let time = 0; time < 2; time += 1) {
        const { code, stderr } = await admin(['team', 'list'], { env: { DATABASE_URL: postgres.url } }, []);
        expect(code).toBe(1);
        expectSentence(stderr, /No service has used this database yet\. Start the service once/);
      }
    } finally {
      await postgres.close();
    }
  });
});

describe('beside a running service', () => {
  let service: ServiceProcess;
  let call: ReturnType<typeof callAt>;
  beforeAll(async () => {
    service = await startServiceProcess({ dataDir: join(dataDir, 'service') });
    call = callAt(service.url);
  });
  afterAll(() => service?.stop());
  const signIn = (email: string, password: string) => call<AuthResult>('POST', '/v1/auth', { body: { email, password } });
  const whoAmI = async (headers: Record<string, string>) => (await call('GET', '/v1/users/me', { headers })).status;

  it.each<[string, string[], Options]>([
    ['stdin', ['--password-file', '-'], { input: 'a password of mine\n' }],
    ['the environment', [], { env: { LONGSHORE_USER_PASSWORD: 'a password of mine' } }],
  ])('makes a user with a password from %s, who signs in; it is not shown', async (from, more, options) => {
    const email = `jonas-${from.split(' ').at(-1)}@example.com`;
    const made = await admin(['user', 'create', email, '--team', 'harbour', '--role', 'admin', ...more], options);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toContain(email);
    expect(made.stdout).not.toMatch(/Password|a password of mine/);
    const { body } = await signIn(email, 'a password of mine');
    expect(body).toMatchObject({ user: { email, level: 'admin' }, teams: [{ subdomain: 'harbour' }] });
  });

  it.each<[string, string[], number, RegExp]>([
    ['an unknown Team', ['team', 'suspend', 'nowhere'], 5, /There is no Team with the id or subdomain nowhere\./],
    ['an unknown user with factors', ['user', 'mfa', 'reset', 'nobody@example.com'], 5, /There is no user nobody@example\.com\./],
    ['an unknown user who shall operate', ['operator', 'add', 'nobody@example.com'], 5, /There is no user nobody@example\.com\./],
    ['an unknown user', ['user', 'reset-password', 'nobody@example.com'], 5, /There is no user nobody@example\.com\./],
    ['an address that is none', ['user', 'create', 'nobody', '--team', 'harbour'], 2, /nobody is not an e-mail address\./],
    [
      'a user who is there, in another case',
      ['user', 'create', 'OWNER@example.com', '--team', 'harbour'],
      1,
      /a user owner@example\.com already/,
    ],
    ['no Team named where there are two', ['user', 'create', 'new@example.com'], 2, /more than one Team: say which by --team/],
    [
      'a subdomain that is none',
      ['team', 'create', 'X', '--owner', 'x@example.com', '--subdomain', 'No!'],
      2,
      /The subdomain No! is not one/,
    ],
    [
      'a subdomain that is taken',
      ['team', 'create', 'X', '--owner', 'x@example.com', '--subdomain', 'harbour'],
      1,
      /Another Team has this subdomain\./,
    ],
    ['a name of nothing', ['team', 'create', ' ', '--owner', 'x@example.com'], 2, /The Team's name must have 1 to 255 characters/],
  ])('says so of %s', async (_, args, expected, pattern) => {
    const { code, stdout, stderr } = await admin(args);
    expect([code, stdout]).toEqual([expected, '']);
    expectSentence(stderr, pattern);
  });

  it('refuses a password that is too short, and one that is empty', async () => {
    const short = await admin(['user', 'create', 'short@example.com', '--team', 'harbour', '--password-file', '-'], { input: 'short' });
    expect(short.code).toBe(2);
    expectSentence(short.stderr, /The password must have 8 to 1024 characters\./);
    const empty = await admin(['user', 'create', 'short@example.com', '--team', 'harbour', '--password-file', '-'], { input: '\n' });
    expect([empty.code, empty.stderr]).toMatchObject([2, expect.stringContaining('it is empty')]);
    expect(JSON.parse((await admin(['user', 'list', '--json'])).stdout)).not.toContainEqual(
      expect.objectContaining({ email: 'short@example.com' }),
    );
  });

  it('gives a new password: what was signed in is signed out within seconds', async () => {
    const { body: before } = await signIn(owner.email, owner.password);
    const headers = { 'x-user-token': before.token };
    expect(await whoAmI(headers)).toBe(200);
    const reset = await admin(['user', 'reset-password', owner.email.toUpperCase(), '--json']);
    expect([reset.code, reset.stderr]).toEqual([0, '']);
    const { password } = JSON.parse(reset.stdout) as { password: string };
    expect((await signIn(owner.email, owner.password)).status).toBe(401);
    expect((await signIn(owner.email, password)).status).toBe(200);
    await eventually('the old token ends', async () => (await whoAmI(headers)) === 401);
    await admin(['user', 'reset-password', owner.email], { env: { LONGSHORE_USER_PASSWORD: owner.password } });
    expect((await signIn(owner.email, owner.password)).status).toBe(200);
  });

  it('removes the second factors of who has lost them', async () => {
    const { body: before } = await signIn(owner.email, owner.password);
    const headers = { 'x-user-token': before.token };
    const begun = await call<{ secret: string }>('POST', '/v1/mfa/totp', { headers, body: { password: owner.password } });
    const code = totpCode(begun.body.secret, new Date());
    expect((await call('POST', '/v1/mfa/totp/confirm', { headers, body: { code } })).status).toBe(200);
    expect((await signIn(owner.email, owner.password)).status).toBe(401);
    expect(await admin(['user', 'mfa', 'reset', owner.email.toUpperCase()])).toEqual({
      code: 0,
      stdout: `${owner.email} signs in by the password alone now, and every sign-in from before has ended.\n`,
      stderr: '',
    });
    expect((await signIn(owner.email, owner.password)).status).toBe(200);
    await eventually('the old token ends', async () => (await whoAmI(headers)) === 401);
  });

  it('makes an operator and takes it back, which counts at once', async () => {
    const { token } = (await signIn(owner.email, owner.password)).body;
    const overview = async () => (await call('GET', '/v1/operator/overview', { headers: { 'x-user-token': token } })).status;
    const change = async (name: string) => (await admin(['operator', name, owner.email.toUpperCase()])).stdout;
    expect(await overview()).toBe(403);
    expect(await change('add')).toMatch(/^owner@example\.com is an operator\.\n {2}Second factor: none\./);
    expect(await change('add')).toMatch(/^owner@example\.com is an operator, as before\.\n/);
    expect(await overview()).toBe(200);
    const { stdout } = await admin(['operator', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ email: owner.email, mfa: false }]);
    expect(await change('remove')).toBe('owner@example.com is no operator.\n');
    expect(await overview()).toBe(403);
  });

  it(
    'suspends a Team and reactivates it: its keys answer 402, and work again',
    inAll('integration/service/operator-work, and commands that set a password'),
    async () => {
      const { body: auth } = await signIn(owner.email, owner.password);
      const key = await call<{ key: string }>('POST', `/v1/teams/${auth.teams[0]!.id}/api_keys`, {
        headers: { 'x-user-token': auth.token },
        body: { name: 'K', state: 'active' },
      });
      const headers = { 'x-api-key': key.body.key };
      expect(await whoAmI(headers)).toBe(200);
      expect(await admin(['team', 'suspend', 'harbour'])).toEqual({
        code: 0,
        stdout: 'The Team "Harbour" (harbour) is inactive.\n',
        stderr: '',
      });
      await eventually('the key is suspended', async () => (await whoAmI(headers)) === 402);
      expect((await admin(['team', 'suspend', auth.teams[0]!.id])).code).toBe(0);
      expect((await admin(['team', 'list'])).stdout).toMatch(/ {2}inactive {2}\d members? +harbour +Harbour\n/);
      expect((await admin(['team', 'reactivate', 'harbour'])).code).toBe(0);
      await eventually('the key works again', async () => (await whoAmI(headers)) === 200);
    },
  );

  it('makes a Team for somebody who has a user, who keeps the password; names that are alike get a number', async () => {
    for (const subdomain of ['second-team', 'second-team-2']) {
      const made = await admin(['team', 'create', 'Second Team', '--owner', owner.email]);
      expect(made.stdout).toBe(
        `Made the Team "Second Team" (${subdomain}) with an owner who has a user already, and keeps the password.\n  E-mail:   ${owner.email}\n`,
      );
    }
    const { body } = await signIn(owner.email, owner.password);
    expect(body.teams.map((team) => team.subdomain)).toEqual(['harbour', 'second-team', 'second-team-2']);
  });

  it('works on the database by its address too', async () => {
    const at = await readPidFile(join(dataDir, 'service/postgres'));
    const { host, user, password, database, port } = connectionTo(at!, await readSecret(join(dataDir, 'service')));
    const url = `postgres://${user}:${String(password)}@${encodeURIComponent(host!)}:${port}/${database}`;
    const { code, stdout } = await admin(['team', 'list', '--json'], { env: { DATABASE_URL: url } }, []);
    expect([code, JSON.parse(stdout).length]).toEqual([0, 4]);
  });
});
