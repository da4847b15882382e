import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '#engine/state/migrations/0006-tokens.ts';
import { tokenTable } from '#engine/tokens/table.ts';
import { openTokens, type Tokens } from '#engine/tokens/tokens.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

let db: Database.Database;
let clock: ReturnType<typeof createFakeClock>;
let tokens: Tokens;
const writer = {
  write: <T>(change: () => T) => change(),
  committed: async () => undefined,
  flush: () => undefined,
  onEnd: () => undefined,
};
const open = (): Tokens => openTokens({ table: tokenTable(db), writer, clock });

beforeEach(() => {
  db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
  db.exec(sql);
  clock = createFakeClock();
  tokens = open();
});

const hour = 3_600_000;
const get = (path: string, status = 200) => ({ method: 'GET', path, status, address: '127.0.0.1' });

describe('a token', () => {
  it('is told once, kept as a digest, and known after a restart', async () => {
    const made = await tokens.create({ name: 'Render farm', scopes: ['transfer', 'read'] });
    expect(made.token).toMatch(/^lst_[\w-]{43}$/);
    expect(made).toMatchObject({ name: 'Render farm', scopes: ['read', 'transfer'], last_used_at: '0001-01-01T00:00:00.000Z' });
    const kept = JSON.stringify(db.prepare('SELECT * FROM tokens').all());
    expect(kept).toContain(createHash('sha256').update(made.token).digest('hex'));
    expect(kept).not.toContain(made.token.slice(4));
    expect(JSON.stringify(tokens.list())).not.toContain(made.token.slice(4));
    for (const known of [tokens, open()]) expect(known.holder(made.token)).toMatchObject({ id: made.id, scopes: ['read', 'transfer'] });
  });

  it.each(['', 'lst_', 'lst_wrong', 'lsa_something'])('is not %j', async (wrong) => {
    const { token } = await tokens.create({ name: 'x', scopes: ['read'] });
    expect(tokens.holder(wrong)).toBeNull();
    expect(tokens.holder(`${token} `)).toBeNull();
    expect(tokens.holder(token.toUpperCase())).toBeNull();
  });

  it('ends when it is deleted, stays listed, and takes its streams with it', async () => {
    const { id, token } = await tokens.create({ name: 'x', scopes: ['all'] });
    const holder = tokens.holder(token)!;
    expect(holder.ended.aborted).toBe(false);
    await tokens.revoke(id);
    expect([holder.ended.aborted, tokens.holder(token), open().holder(token)]).toEqual([true, null, null]);
    expect(tokens.list()).toMatchObject([{ id, revoked_at: new Date(clock.now()).toISOString() }]);
    await tokens.revoke(id);
    await expect(tokens.revoke('nobody')).rejects.toMatchObject({ error: 'not_found' });
  });

  it('ends by itself', async () => {
    const expires_at = new Date(clock.now() + hour).toISOString();
    const { token } = await tokens.create({ name: 'x', scopes: ['read'], expires_at });
    expect(tokens.holder(token)?.expiresAt).toBe(clock.now() + hour);
    clock.advance(hour);
    expect(tokens.holder(token)).toBeNull();
    await expect(tokens.create({ name: 'x', scopes: ['read'], expires_at })).rejects.toMatchObject({ error: 'invalid_request' });
  });

  it('is one of a hundred at most, and old ones that are over leave the list', async () => {
    for (let number = 0; number < 100; number++) await tokens.create({ name: `${number}`, scopes: ['read'] });
    await expect(tokens.create({ name: 'one more', scopes: ['read'] })).rejects.toMatchObject({ error: 'over_limit' });
    for (let round = 0; round < 150; round++) {
      await tokens.revoke(tokens.list().find(({ revoked_at }) => revoked_at.startsWith('0001'))!.id);
      clock.advance(1);
      await tokens.create({ name: `again ${round}`, scopes: ['read'] });
    }
    const listed = tokens.list();
    expect(listed).toHaveLength(200);
    expect(listed[0]!.name).toBe('again 149');
    expect(db.prepare('SELECT count(*) AS count FROM tokens').get()).toEqual({ count: 200 });
  });
});

describe('what was done with a token', () => {
  it('is listed, the newest first, with refused calls', async () => {
    const { id } = await tokens.create({ name: 'x', scopes: ['read'] });
    tokens.note(id, get('/api/v1/status'));
    clock.advance(10);
    tokens.note(id, { method: 'POST', path: '/api/v1/uploads', status: 403, address: '192.168.1.20' });
    const at = (milliseconds: number) => new Date(milliseconds).toISOString();
    const times = (time: number) => ({ first_at: at(time), last_at: at(time) });
    expect(tokens.calls(id)).toEqual([
      { method: 'POST', path: '/api/v1/uploads', status: 403, address: '192.168.1.20', count: 1, ...times(clock.now()) },
      { method: 'GET', path: '/api/v1/status', status: 200, address: '127.0.0.1', count: 1, ...times(clock.now() - 10) },
    ]);
    expect(tokens.list()[0]!.last_used_at).toBe(at(clock.now() - 10));
    expect(() => tokens.calls('nobody')).toThrow(expect.objectContaining({ error: 'not_found' }));
  });

  it('puts reading calls that are alike together for an hour, and no others', async () => {
    const { id } = await tokens.create({ name: 'x', scopes: ['all'] });
    for (let time = 0; time < 5; time++) {
      tokens.note(id, get('/api/v1/status'));
      tokens.note(id, get('/api/v1/transfers'));
      tokens.note(id, { ...get('/api/v1/transfers'), method: 'POST' });
    }
    tokens.note(id, get('/api/v1/status', 429));
    clock.advance(hour);
    tokens.note(id, get('/api/v1/status'));
    const lines = tokens.calls(id).map(({ method, path, status, count }) => `${method} ${path} ${status} ×${count}`);
    expect(lines.filter((line) => line.startsWith('GET'))).toEqual([
      'GET /api/v1/status 200 ×1',
      'GET /api/v1/status 429 ×1',
      'GET /api/v1/transfers 200 ×5',
      'GET /api/v1/status 200 ×5',
    ]);
    expect(lines.filter((line) => line.startsWith('POST'))).toHaveLength(5);
  });

  it('is bounded, each token by itself', async () => {
    const busy = await tokens.create({ name: 'busy', scopes: ['all'] });
    const calm = await tokens.create({ name: 'calm', scopes: ['all'] });
    tokens.note(calm.id, get('/api/v1/status'));
    for (let number = 0; number < 2_500; number++) tokens.note(busy.id, { ...get(`/api/v1/uploads/${number}`), method: 'DELETE' });
    const calls = tokens.calls(busy.id);
    expect(calls.length).toBeGreaterThanOrEqual(1_000);
    expect(calls.length).toBeLessThan(1_100);
    expect(calls[0]!.path).toBe('/api/v1/uploads/2499');
    expect(tokens.calls(calm.id)).toHaveLength(1);
  });

  it('keeps no more of a path than a reader needs', async () => {
    const { id } = await tokens.create({ name: 'x', scopes: ['all'] });
    tokens.note(id, get(`/${'x'.repeat(10_000)}`, 404));
    expect(tokens.calls(id)[0]!.path).toHaveLength(200);
  });
});
