import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { systemClock } from '#engine/ports.ts';
import { openSecrets } from '#engine/secrets/open-secrets.ts';
import { sameService, serviceUrlOf } from '#engine/session/service-url.ts';
import { openSession, type Session } from '#engine/session/session.ts';
import { sessionFor } from '#engine/session/session-entry.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore } from '#engine/state/store.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { AgentError, ApiError, type ErrorName } from '#protocol/errors.ts';
import { sampleApiKey, sampleTeam } from '#test/support/browser/samples.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const own = 'https://own.example.com';
const other = 'https://other.example.com/ship';

/** Accounts of two services. A token or key names its account; those in `refused` are over. */
const accounts: Readonly<Record<string, AgentSession>> = {
  mia: { user: { id: 'u-mia', email: 'mia@example.com', name: 'Mia' }, teams: [sampleTeam({ id: 'team-own' })] },
  ben: { user: { id: 'u-ben', email: 'ben@example.com', name: 'Ben' }, teams: [sampleTeam({ id: 'team-own' })] },
  far: { user: { id: 'u-far', email: 'mia@far.example.com', name: 'Mia' }, teams: [sampleTeam({ id: 'team-far' })] },
};

let folder: Awaited<ReturnType<typeof tempFolder>>;
const closing: (() => void)[] = [];
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await folder.remove();
});

function services() {
  const refused = new Set<string>();
  const asked: string[] = [];
  const devices: (string | undefined)[] = [];
  const refusal = (error: ErrorName): ApiReply => {
    const failure = new AgentError(error);
    return { status: failure.status, headers: {}, text: JSON.stringify(failure.body) };
  };
  let logins = 0;
  return {
    refused,
    asked,
    devices,
    async fetcher({ url, headers, body }: ApiRequest): Promise<ApiReply> {
      const { pathname } = new URL(url);
      asked.push(url);
      if (pathname.endsWith('/v1/auth')) {
        devices.push((headers as Record<string, string>)['x-device-secret']);
        const { email, password } = JSON.parse(body ?? '{}') as { email: string; password: string };
        const name = Object.keys(accounts).find((one) => accounts[one]!.user.email === email);
        if (!name || password !== 'right') return refusal('wrong_password');
        logins += 1;
        return { status: 200, headers: {}, text: JSON.stringify({ token: `${name}:${logins}` }) };
      }
      const shown = new Headers(headers as Record<string, string>);
      const secret = shown.get('x-user-token') ?? shown.get('x-api-key') ?? '';
      const account = accounts[secret.split(':')[0]!];
      if (!account || refused.has(secret)) return refusal('credential_invalid');
      if (pathname.endsWith('/api_keys')) {
        if (!shown.has('x-user-token')) return refusal('credential_missing');
        const made = { ...sampleApiKey(), ...JSON.parse(body ?? '{}'), description: pathname };
        return { status: 201, headers: {}, text: JSON.stringify(made) };
      }
      return { status: 200, headers: {}, text: JSON.stringify(account) };
    },
  };
}

/** One start of an agent on the folder. */
async function start(fake: ReturnType<typeof services>, options: { serviceUrl?: string; apiKey?: string } = {}) {
  const clock = createFakeClock();
  const { store: secrets, sealer } = await openSecrets({ dataDir: folder.path, mode: 'vault' });
  const opened = openDatabase(folder.path, { now: clock.now() });
  const store = openStore(opened, sealer, systemClock);
  const told: { all: SignedIn[]; login: AgentSession | null | 'same' }[] = [];
  const session = await openSession({
    serviceUrl: options.serviceUrl ?? own,
    apiKey: options.apiKey,
    fetcher: fake.fetcher,
    secrets,
    settings: store.settings,
    writer: store.writer,
    now: clock.now,
    changed: (all, login) => told.push({ all, login: login ? login.account : 'same' }),
  });
  let open = true;
  const close = () => {
    if (open) store.close();
    open = false;
  };
  closing.push(close);
  return { session, store, secrets, told, clock, close };
}

const names = (session: Session) => session.all().map(({ user, state, login }) => `${user?.email} ${state}${login ? ' login' : ''}`);

test('sessions with several services stand side by side, and over a new start', async () => {
  const fake = services();
  const first = await start(fake);
  await first.session.signIn('mia@example.com', 'right');
  const far = await first.session.add({ service_url: `${other}/`, email: 'mia@far.example.com', password: 'right' });
  await first.session.add({ api_key: 'ben' });
  expect(far).toMatchObject({ service_url: other, kind: 'user', state: 'active', login: false });
  const all = ['mia@example.com active login', 'mia@far.example.com active', 'ben@example.com active'];
  expect(names(first.session)).toEqual(all);
  expect(first.told.map(({ login }) => (login === 'same' ? 'same' : login?.user.id))).toEqual(['u-mia', 'same', 'same']);
  first.close();

  const again = await start(fake);
  expect(names(again.session)).toEqual(all);
  expect(await again.session.findFor('team-far')).toEqual({ id: far.id, serviceUrl: other });
  expect(again.session.hosted({ serviceUrl: other, teamId: 'team-far' }).client.baseUrl).toBe(other);
});

test('the login is the one of the agent’s own service: nothing else answers for it', async () => {
  const { session } = await start(services());
  await session.add({ service_url: other, email: 'mia@far.example.com', password: 'right' });
  await expect(session.current()).rejects.toMatchObject({ error: 'session_is_nil' });
  expect(session.signedIn).toBe(false);
  await session.add({ service_url: own, email: 'ben@example.com', password: 'right' });
  expect((await session.current()).user.email).toBe('ben@example.com');
  await session.signOut();
  expect(names(session)).toEqual(['mia@far.example.com active']);
  await expect(session.signOut()).rejects.toMatchObject({ error: 'session_is_nil' });
});

test('signing in anew takes the place of the login, and the same account that of its former session', async () => {
  const { session } = await start(services());
  await session.signIn('mia@example.com', 'right');
  const ben = await session.add({ email: 'ben@example.com', password: 'right' });
  expect((await session.add({ email: 'ben@example.com', password: 'right' })).id).toBe(ben.id);
  await session.signIn('ben@example.com', 'right');
  expect(names(session)).toEqual(['ben@example.com active login']);
});

test('a session that its service refuses is listed as ended, waits, and is taken up by signing in again', async () => {
  const fake = services();
  const { session, secrets, told } = await start(fake);
  await session.signIn('mia@example.com', 'right');
  const far = await session.add({ service_url: other, email: 'mia@far.example.com', password: 'right' });
  fake.refused.add('far:2');
  const error = await session.hosted({ serviceUrl: other, teamId: 'team-far' }).refused(new ApiError('credential_invalid'));
  expect(error.error).toBe('session_expired');
  expect(names(session)).toEqual(['mia@example.com active login', 'mia@far.example.com ended']);
  expect(told.at(-1)?.login).toBe('same');
  expect(await secrets.get(`session-${far.id}`)).toBeNull();
  expect(() => session.hosted({ serviceUrl: other, teamId: 'team-far' })).toThrow(expect.objectContaining({ error: 'session_is_nil' }));
  const again = await session.add({ service_url: other, email: 'mia@far.example.com', password: 'right' });
  expect(again.id).toBe(far.id);
  expect(session.hosted({ serviceUrl: other, teamId: 'team-far' }).client.baseUrl).toBe(other);
});

test('a listing asks each service at most once a minute, and finds out what has ended', async () => {
  const fake = services();
  const { session, clock } = await start(fake);
  await session.add({ email: 'mia@example.com', password: 'right' });
  const asked = fake.asked.length;
  session.list();
  expect(fake.asked.length).toBe(asked);
  clock.advance(60_000);
  fake.refused.add('mia:1');
  session.list();
  session.list();
  expect(fake.asked.length).toBe(asked + 1);
  await expect.poll(() => names(session)).toEqual(['mia@example.com ended login']);
  await expect(session.current()).rejects.toMatchObject({ error: 'session_is_nil' });
});

test('a key given at the start is the login, is kept nowhere, and leaves the kept sessions as they are', async () => {
  const fake = services();
  const first = await start(fake);
  await first.session.signIn('mia@example.com', 'right');
  first.close();
  const second = await start(fake, { apiKey: 'ben' });
  expect((await second.session.current()).user.id).toBe('u-ben');
  expect(names(second.session)).toEqual(['ben@example.com active login', 'mia@example.com active']);
  second.close();
  const third = await start(fake);
  expect(names(third.session).map((name) => name.replace(' login', ''))).toEqual(['mia@example.com active']);
});

test('a refused key says so in a warning, and comes back by itself when it is active again', async () => {
  const fake = services();
  fake.refused.add('ben');
  const { session } = await start(fake, { apiKey: 'ben' });
  await expect(session.current()).rejects.toMatchObject({ error: 'session_is_nil' });
  expect(session.warnings).toEqual([expect.stringContaining('does not accept the API key')]);
  fake.refused.delete('ben');
  await session.teams();
  expect(session.warnings).toEqual([]);
  expect((await session.current()).user.id).toBe('u-ben');
});

test('the one session of an older agent is taken over, its token too', async () => {
  const fake = services();
  const old = await start(fake);
  old.store.writer.write(() => old.store.settings.set('session', JSON.stringify({ serviceUrl: own, account: accounts['mia'] })));
  await old.secrets.set('user-token', 'mia:7');
  old.close();
  const { session, secrets, store } = await start(fake);
  expect(names(session)).toEqual(['mia@example.com active login']);
  expect((await session.teams()).map(({ id }) => id)).toEqual(['team-own']);
  expect([store.settings.get('session'), await secrets.get('user-token')]).toEqual([null, null]);
});

test('what is typed in wrong is refused before anything is asked', async () => {
  const fake = services();
  const { session } = await start(fake);
  for (const request of [{}, { email: 'mia@example.com' }, { email: 'mia@example.com', password: 'right', api_key: 'ben' }]) {
    await expect(session.add(request)).rejects.toMatchObject({ error: 'invalid_request' });
  }
  for (const service_url of ['ftp://x', 'share.example.com', 'https://u:p@x', 'https://x/?a=b']) {
    await expect(session.add({ service_url, api_key: 'ben' })).rejects.toMatchObject({ error: 'invalid_request' });
  }
  expect(fake.asked).toEqual([]);
  await expect(session.add({ email: 'mia@example.com', password: 'wrong' })).rejects.toMatchObject({ error: 'wrong_password' });
  await expect(session.remove('nobody')).rejects.toMatchObject({ error: 'not_found' });
  expect(names(session)).toEqual([]);
});

test('who sends to a Team: the chosen session, else one of the Team, never one that is not in it', () => {
  const entry = (id: string, account: AgentSession | null, serviceUrl = own) =>
    ({ id, serviceUrl, kind: 'user', isSaved: true, status: { state: 'active', secret: 's' }, account }) as const;
  const mia = entry('mia', accounts['mia']!);
  const ben = entry('ben', accounts['ben']!);
  const unknown = entry('unknown', null);
  const wanted = { serviceUrl: own, teamId: 'team-own' };
  expect(sessionFor([mia, ben], { ...wanted, sessionId: 'ben' })).toBe(ben);
  expect(sessionFor([mia, ben], { ...wanted, sessionId: 'gone' })).toBe(mia);
  expect(sessionFor([unknown, mia], wanted)).toBe(mia);
  expect(sessionFor([unknown], wanted)).toBe(unknown);
  expect(sessionFor([mia], { ...wanted, teamId: 'team-far' })).toBeNull();
  expect(sessionFor([{ ...mia, status: { state: 'ended', secret: null, reason: '' } }], wanted)).toBeNull();
  expect(sessionFor([entry('far', accounts['far']!, other)], { serviceUrl: own, teamId: 'team-far' })).toBeNull();
});

test.each([
  ['https://Share.Example.com/', 'https://share.example.com'],
  ['https://share.example.com/ship/', 'https://share.example.com/ship'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['https://share.example.com:443', 'https://share.example.com'],
])('%s is the service at %s', (text, url) => {
  expect(serviceUrlOf(text)).toBe(url);
  expect(sameService(text, url)).toBe(true);
});

test('an API key is made by a session of a person, in a Team of theirs', async () => {
  const fake = services();
  const { session } = await start(fake, { apiKey: 'ben' });
  await expect(session.createApiKey({ name: 'Farm' })).rejects.toMatchObject({ error: 'not_allowed' });
  await session.add({ service_url: other, email: 'mia@far.example.com', password: 'right' });
  const { name, description, state } = await session.createApiKey({ name: 'Farm' });
  expect([name, description, state]).toEqual(['Farm', '/ship/v1/teams/team-far/api_keys', 'active']);
  await expect(session.createApiKey({ name: 'Farm', team_id: 'team-own' })).rejects.toMatchObject({ error: 'not_found' });
});

test('a key that is refused, since the session is over, ends it', async () => {
  const fake = services();
  const { session } = await start(fake);
  await session.signIn('mia@example.com', 'right');
  fake.refused.add('mia:1');
  await expect(session.createApiKey({ name: 'Farm' })).rejects.toMatchObject({ error: 'session_expired' });
  expect(names(session)).toEqual(['mia@example.com ended login']);
});

test('an agent says at each sign-in that it is the same, and to no service what it says to another', async () => {
  const fake = services();
  const { session, close } = await start(fake);
  await session.signIn('mia@example.com', 'right');
  await session.add({ service_url: other, email: 'mia@far.example.com', password: 'right' });
  close();
  const again = await start(fake);
  await again.session.signIn('mia@example.com', 'right');
  const [first, elsewhere, later] = fake.devices;
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(elsewhere).toMatch(/^[\w-]{43}$/);
  expect(elsewhere).not.toBe(first);
  expect(later).toBe(first);
});
