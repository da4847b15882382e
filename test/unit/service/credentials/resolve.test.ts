import { describe, expect, it } from 'vitest';
import type { Route } from '#protocol/route.ts';
import type { ApiKeyFacts, SessionFacts } from '#service/credentials/credential-cache.ts';
import { type PresentedCredentials, resolveCredential } from '#service/credentials/resolve.ts';
import { createTokens, type TaskClaim } from '#service/credentials/tokens.ts';
import type { PackagePermissions } from '#service/packages/package-permissions.ts';
import { hashSessionSecret } from '#service/sessions/session-cookie.ts';

const now = () => new Date('2026-05-01T00:00:00Z');
const tokens = createTokens(new Uint8Array(32).fill(7), now);
const key: ApiKeyFacts = { keyId: 'k1', teamId: 't1', userId: 'u1', role: 'admin', state: 'active', teamState: 'active', expiry: null };

const route = (credentials: Route['credentials']): Route => ({
  method: 'GET',
  path: '/x',
  summary: '',
  tag: '',
  credentials,
  reply: { status: 204 },
});

function setUp(facts: ApiKeyFacts | null = key) {
  const used: string[] = [];
  const parts = {
    tokens,
    now,
    usage: {
      keyUsed: (id: string) => void used.push(id),
      sessionUsed: (id: string) => void used.push(id),
    },
    credentials: {
      key: async (secret: string) => (secret === 'ls_right' ? facts : null),
      keyNow: async () => null,
      tokenVersion: async (userId: string) => (userId === 'u1' ? 2 : null),
      session: async (id: string) => sessions[id] ?? null,
      packagePermissions: async (packageId: string, userId: string | null) => permissions[`${packageId} ${userId}`] ?? null,
      gateway: async (id: string) =>
        id === 'gone' ? null : { teamId: 't1', teamState: id === 'idle' ? ('inactive' as const) : ('active' as const) },
      task: async ({ taskId, transferId }: TaskClaim) => (taskId === 'over' ? null : { taskId, transferId, isFiltered: false }),
      invalidateGateway: () => undefined,
      invalidatePackagePermissions: () => undefined,
      invalidateKey: () => undefined,
      invalidateUser: () => undefined,
      invalidateSession: () => undefined,
      invalidateAll: () => undefined,
    },
  };
  const resolve = (credentials: Route['credentials'], shown: Partial<PresentedCredentials>) =>
    resolveCredential(route(credentials), { headers: {}, query: {}, params: {}, session: null, ...shown }, parts);
  return { resolve, used };
}

const day = 24 * 3_600_000;
const browser: SessionFacts = {
  userId: 'u1',
  kind: 'browser',
  secretHash: hashSessionSecret('right'),
  lastSeenAt: new Date(now().getTime() - 6 * day),
  expiresAt: new Date(now().getTime() + day),
  ssoTeamId: null,
};
const program: SessionFacts = { ...browser, kind: 'program', secretHash: null, lastSeenAt: new Date(0) };
const sessions: Record<string, SessionFacts> = {
  browser,
  program,
  over: { ...browser, expiresAt: now() },
  idle: { ...browser, lastSeenAt: new Date(now().getTime() - 8 * day) },
};

/** By package and who got the token. */
const active = { teamState: 'active', maySee: true, mayManage: true } as const;
const permissions: Record<string, PackagePermissions> = {
  'p1 null': { ...active, maySee: false, mayManage: false },
  'p1 maker': active,
  'p1 guest': { ...active, mayManage: false },
  'p1 gone': { ...active, maySee: false, mayManage: false },
  'suspended null': { teamState: 'inactive', maySee: false, mayManage: false },
  'suspended maker': { ...active, teamState: 'inactive' },
};

describe('resolveCredential', () => {
  it('accepts a user token of the current version only', async () => {
    const { resolve } = setUp();
    const good = await tokens.sign('user', { userId: 'u1', version: 2 });
    expect(await resolve(['user'], { headers: { 'x-user-token': good } })).toEqual({
      kind: 'user',
      userId: 'u1',
      sessionId: null,
      version: 2,
      ssoTeamId: null,
    });
    for (const claims of [
      { userId: 'u1', version: 1 },
      { userId: 'gone', version: 2 },
    ]) {
      const old = await tokens.sign('user', claims);
      await expect(resolve(['user'], { headers: { 'x-user-token': old } })).rejects.toMatchObject({ error: 'credential_invalid' });
    }
  });

  it('accepts a user token only as long as its session lasts, and records its use', async () => {
    const { resolve, used } = setUp();
    const signed = (sessionId: string, userId = 'u1') => tokens.sign('user', { userId, version: 2, sessionId });
    const asked = async (token: Promise<string>) => resolve(['user'], { headers: { 'x-user-token': await token } });
    expect(await asked(signed('program'))).toEqual({ kind: 'user', userId: 'u1', sessionId: 'program', ssoTeamId: null });
    expect(used).toEqual(['program']);
    await expect(asked(signed('ended'))).rejects.toMatchObject({ error: 'credential_invalid' });
  });

  it('accepts a cookie as long as its session lasts, and for nobody but its own secret', async () => {
    const { resolve, used } = setUp();
    const asked = (sessionId: string, secret = 'right') => resolve(['user', 'api_key'], { session: { sessionId, secret } });
    expect(await asked('browser')).toEqual({ kind: 'user', userId: 'u1', sessionId: 'browser', ssoTeamId: null });
    expect(used).toEqual(['browser']);
    await expect(asked('browser', 'wrong')).rejects.toMatchObject({ error: 'credential_invalid', details: { header: 'Cookie' } });
    for (const id of ['over', 'idle', 'ended', 'program']) await expect(asked(id)).rejects.toMatchObject({ error: 'credential_invalid' });
    expect(used).toEqual(['browser']);
  });

  it('accepts an API key, and records its use', async () => {
    const { resolve, used } = setUp();
    const credential = await resolve(['api_key'], { headers: { 'x-api-key': 'ls_right' } });
    expect(credential).toEqual({ kind: 'api_key', keyId: 'k1', teamId: 't1', userId: 'u1', role: 'admin' });
    expect(used).toEqual(['k1']);
  });

  it.each<[string, Partial<ApiKeyFacts>, string]>([
    ['an inactive one', { state: 'inactive' }, 'credential_invalid'],
    ['one that has expired', { expiry: new Date('2026-04-30T23:59:59Z') }, 'credential_invalid'],
    ['one that expires now', { expiry: now() }, 'credential_invalid'],
    ['a suspended one', { teamState: 'inactive' }, 'key_suspended'],
    ['a suspended one that was inactive', { teamState: 'inactive', state: 'inactive' }, 'key_suspended'],
  ])('refuses %s, and records no use', async (_, facts, error) => {
    const { resolve, used } = setUp({ ...key, ...facts });
    await expect(resolve(['api_key'], { headers: { 'x-api-key': 'ls_right' } })).rejects.toMatchObject({ error });
    expect(used).toEqual([]);
  });

  it('refuses unknown and overlong keys', async () => {
    const { resolve } = setUp();
    for (const secret of ['ls_wrong', 'x'.repeat(10_000)]) {
      await expect(resolve(['api_key'], { headers: { 'x-api-key': secret } })).rejects.toMatchObject({ error: 'credential_invalid' });
    }
  });

  it('accepts package tokens of the variants that the route allows, of the package in its path', async () => {
    const { resolve } = setUp();
    const claims = { packageId: 'p1', variant: 'read', tokenId: 'n1', linkId: 'l1', userId: null, verified: true } as const;
    const headers = { 'x-package-token': await tokens.sign('package', claims) };
    expect(await resolve(['package:write', 'package:read'], { headers, params: { package_id: 'p1' } })).toEqual({
      kind: 'package:read',
      packageId: 'p1',
      tokenId: 'n1',
      linkId: 'l1',
      userId: null,
      verified: true,
      task: null,
      token: headers['x-package-token'],
    });
    await expect(resolve(['package:manage'], { headers, params: { package_id: 'p1' } })).rejects.toMatchObject({ error: 'not_allowed' });
    await expect(resolve(['package:read'], { headers, params: { package_id: 'p2' } })).rejects.toMatchObject({ error: 'not_found' });
  });

  const variants = ['package:write', 'package:read', 'package:manage'] as const;

  it.each([
    ['write', 'p1', null, 'taken'],
    ['write', 'suspended', null, 'team_inactive'],
    ['write', 'no package', null, 'not_found'],
    ['manage', 'p1', 'maker', 'taken'],
    ['manage', 'p1', 'guest', 'not_allowed'],
    ['manage', 'p1', 'gone', 'not_allowed'],
    ['manage', 'p1', null, 'not_found'],
    ['manage', 'suspended', 'maker', 'team_inactive'],
    ['manage', 'suspended', null, 'not_found'],
    ['read', 'p1', 'guest', 'taken'],
    ['read', 'p1', 'gone', 'not_allowed'],
    ['read', 'suspended', 'maker', 'team_inactive'],
  ] as const)(
    'checks what the owner of a package token may do today: %s of %s by %s is %s',
    async (variant, packageId, userId, outcome) => {
      const { resolve } = setUp();
      const token = await tokens.sign('package', { packageId, variant, tokenId: 'n1', linkId: null, userId });
      const asked = resolve(variants, { headers: { 'x-package-token': token } });
      if (outcome === 'taken') expect(await asked).toMatchObject({ kind: `package:${variant}`, packageId, userId });
      else await expect(asked).rejects.toMatchObject({ error: outcome });
    },
  );

  it("accepts a recipient's token in any state of the Team: the link decides", async () => {
    const { resolve } = setUp();
    const token = await tokens.sign('package', { packageId: 'suspended', variant: 'read', tokenId: 'n1', linkId: 'l1', userId: null });
    expect(await resolve(variants, { headers: { 'x-package-token': token } })).toMatchObject({ linkId: 'l1' });
  });

  it('refuses a transfer token of a suspended Team, or of a deleted package', async () => {
    const { resolve } = setUp();
    const asked = async (packageId: string) =>
      resolve(['transfer'], { headers: { 'x-transfer-token': await tokens.sign('transfer', { transferId: 'x1', packageId }) } });
    await expect(asked('suspended')).rejects.toMatchObject({ error: 'team_inactive' });
    await expect(asked('no package')).rejects.toMatchObject({ error: 'not_found' });
  });

  it('accepts the transfer token of a recipient in any state of the Team, as their link is', async () => {
    const { resolve } = setUp();
    const asked = async (packageId: string) => {
      const token = await tokens.sign('transfer', { transferId: 'x1', packageId, recipient: true });
      return await resolve(['transfer'], { headers: { 'x-transfer-token': token } });
    };
    expect(await asked('suspended')).toMatchObject({ kind: 'transfer', transferId: 'x1', packageId: 'suspended' });
    await expect(asked('no package')).rejects.toMatchObject({ error: 'not_found' });
  });

  it('accepts transfer and gateway tokens, each for its own transfer or gateway', async () => {
    const { resolve } = setUp();
    const transfer = await tokens.sign('transfer', { transferId: 'x1', packageId: 'p1' });
    expect(await resolve(['transfer'], { headers: { 'x-transfer-token': transfer }, params: { transfer_id: 'x1' } })).toEqual({
      kind: 'transfer',
      transferId: 'x1',
      packageId: 'p1',
      token: transfer,
    });
    await expect(resolve(['transfer'], { headers: { 'x-transfer-token': transfer }, params: { transfer_id: 'x2' } })).rejects.toMatchObject(
      {
        error: 'not_found',
      },
    );
    const gateway = await tokens.sign('gateway', { gatewayId: 'g1' });
    expect(await resolve(['gateway'], { headers: { 'x-gateway-token': gateway } })).toEqual({
      kind: 'gateway',
      gatewayId: 'g1',
      teamId: 't1',
    });
    const asGateway = async (gatewayId: string, params = {}) =>
      resolve(['gateway'], { headers: { 'x-gateway-token': await tokens.sign('gateway', { gatewayId }) }, params });
    await expect(asGateway('gone')).rejects.toMatchObject({ error: 'credential_invalid' });
    await expect(asGateway('idle')).rejects.toMatchObject({ error: 'team_inactive' });
    await expect(asGateway('g1', { storage_gateway_id: 'g2' })).rejects.toMatchObject({ error: 'not_found' });
    await expect(resolve(['gateway'], { headers: { 'x-gateway-token': transfer } })).rejects.toMatchObject({ error: 'credential_invalid' });
  });

  it('accepts the tokens of a task for what they are, as long as the task is not over', async () => {
    const { resolve } = setUp();
    const reporting = { 'x-transfer-token': await tokens.sign('transfer', { transferId: 'x1', packageId: 'p1', taskId: 'k1' }) };
    const report = { kind: 'transfer:report', transferId: 'x1', packageId: 'p1', taskId: 'k1' };
    expect(await resolve(['transfer:report'], { headers: reporting })).toEqual(report);
    await expect(resolve(['transfer'], { headers: reporting })).rejects.toMatchObject({ error: 'not_allowed' });
    const persons = { 'x-transfer-token': await tokens.sign('transfer', { transferId: 'x1', packageId: 'p1' }) };
    await expect(resolve(['transfer:report'], { headers: persons })).rejects.toMatchObject({ error: 'not_allowed' });
    const reading = async (taskId: string) => {
      const claims = { packageId: 'p1', variant: 'read', tokenId: 'n1', linkId: null, userId: null } as const;
      const token = await tokens.sign('package', { ...claims, task: { taskId, transferId: 'x1' } });
      return await resolve(variants, { headers: { 'x-package-token': token } });
    };
    expect(await reading('k1')).toMatchObject({ kind: 'package:read', task: { taskId: 'k1', transferId: 'x1' } });
    await expect(reading('over')).rejects.toMatchObject({ error: 'credential_invalid' });
  });

  it('passes on a link secret as sent and an access code decoded', async () => {
    const { resolve } = setUp();
    expect(await resolve(['link'], { query: { secret: 's' } })).toEqual({ kind: 'link', secret: 's', passwords: [], code: '' });
    expect(await resolve(['link'], { query: { secret: 's' }, headers: { 'x-link-code': '1234 5678' } })).toMatchObject({
      code: '1234 5678',
    });
    // Bytes of UTF-8 come from Node as one character each; `Käse` alone is Latin-1, and no UTF-8.
    const raw = Buffer.from('Käse').toString('latin1');
    for (const [sent, readings] of [
      ['plain', ['plain']],
      ['100%', ['100%']],
      ['100%41', ['100%41', '100A']],
      ['K%C3%A4se', ['K%C3%A4se', 'Käse']],
      [raw, [raw, 'Käse']],
      ['Käse', ['Käse']],
    ] as const) {
      expect(await resolve(['link'], { query: { secret: 's' }, headers: { 'x-link-password': sent } })).toMatchObject({
        passwords: readings,
      });
      expect(await resolve(['access_code'], { headers: { 'x-access-code': sent } })).toEqual({ kind: 'access_code', codes: readings });
    }
  });

  it('prefers the kind that the route names first, and needs none where none is required', async () => {
    const { resolve } = setUp();
    const token = await tokens.sign('user', { userId: 'u1', version: 2 });
    const both = { headers: { 'x-user-token': token, 'x-api-key': 'ls_right' } };
    expect((await resolve(['api_key', 'user'], both)).kind).toBe('api_key');
    expect((await resolve(['user', 'api_key'], both)).kind).toBe('user');
    expect((await resolve(['access_code', 'none'], {})).kind).toBe('none');
  });

  it('names the required kinds when the request has no credential', async () => {
    const { resolve } = setUp();
    await expect(resolve(['user', 'api_key'], { headers: { 'x-package-token': 'x' } })).rejects.toMatchObject({
      error: 'credential_missing',
      message: 'This call needs a credential: user token in X-User-Token, or API key in X-API-KEY.',
    });
    await expect(resolve(['link'], {})).rejects.toMatchObject({ error: 'credential_missing' });
  });
});
