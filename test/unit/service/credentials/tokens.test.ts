import { randomBytes } from 'node:crypto';
import { decodeProtectedHeader, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createTokens, type TokenClaims, type TokenKind } from '#service/credentials/tokens.ts';

const secret = randomBytes(32);
const claims: TokenClaims = {
  user: { userId: 'u1', version: 3 },
  package: { packageId: 'p1', variant: 'write', tokenId: 't1', linkId: null, userId: null },
  transfer: { transferId: 'x1', packageId: 'p1' },
  gateway: { gatewayId: 'g1' },
  link_proof: { linkId: 'l1' },
  zip: { packageId: 'p1', flavour: 'zip_mac', linkId: 'l1' },
  sso: { id: 'f1', teamId: 't1', revision: 'r1', state: 's', nonce: 'n', verifier: 'v', next: '/', app: null, trial: false },
  sso_code: { nonce: 'n2', userId: 'u1', version: 3, teamId: 't1', revision: 'r1', challenge: 'c' },
  challenge: { nonce: 'n1', purpose: 'add', userId: 'u1' },
};
const kinds = Object.keys(claims) as TokenKind[];

function setUp() {
  const clock = { at: new Date('2026-03-01T12:00:00Z') };
  return { clock, tokens: createTokens(secret, () => clock.at) };
}

describe('tokens', () => {
  it.each(kinds)('a %s token holds its claims, and is not valid as another kind', async (kind) => {
    const { tokens } = setUp();
    const token = await tokens.sign(kind, claims[kind]);
    for (const other of kinds) expect(await tokens.verify(other, token)).toEqual(other === kind ? claims[kind] : null);
  });

  it('a user token ends after 30 days, remembered or not', async () => {
    const { clock, tokens } = setUp();
    const token = await tokens.sign('user', claims.user);
    clock.at = new Date('2026-03-31T11:59:59Z');
    expect(await tokens.verify('user', token)).toEqual(claims.user);
    clock.at = new Date('2026-03-31T12:00:00Z');
    expect(await tokens.verify('user', token)).toBeNull();
    expect(await createTokens(secret, () => clock.at).verify('user', token)).toBeNull();
  });

  it('expires at the given time', async () => {
    const { clock, tokens } = setUp();
    const token = await tokens.sign('package', claims.package, new Date('2026-03-01T13:00:00Z'));
    clock.at = new Date('2026-03-01T13:00:01Z');
    expect(await tokens.verify('package', token)).toBeNull();
  });

  it('refuses tokens of another service, changed and unsigned ones, and other texts', async () => {
    const { tokens } = setUp();
    const token = await tokens.sign('user', claims.user);
    expect(await createTokens(randomBytes(32), () => new Date('2026-03-01T12:00:00Z')).verify('user', token)).toBeNull();
    const [head, body, signature] = token.split('.') as [string, string, string];
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const altered = Buffer.from(JSON.stringify({ ...payload, claims: { userId: 'u2', version: 3 } })).toString('base64url');
    expect(await tokens.verify('user', `${head}.${altered}.${signature}`)).toBeNull();
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'user+jwt' })).toString('base64url');
    expect(await tokens.verify('user', `${unsigned}.${body}.`)).toBeNull();
    for (const nonsense of ['', 'a', 'a.b.c', 'x'.repeat(100_000)]) expect(await tokens.verify('user', nonsense)).toBeNull();
  });

  it("refuses a token signed with a key of the sender's choice", async () => {
    const { tokens } = setUp();
    const forged = await new SignJWT({ claims: claims.user })
      .setProtectedHeader({ alg: 'HS256', typ: 'user+jwt' })
      .setAudience('longshore:user')
      .setExpirationTime('1h')
      .sign(new Uint8Array(32));
    expect(decodeProtectedHeader(forged).alg).toBe('HS256');
    expect(await tokens.verify('user', forged)).toBeNull();
  });
});
