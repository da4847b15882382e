import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AuditRow, canonicalEntry, chainHash, chainStart } from '#service/audit/hash.ts';

const row: AuditRow = {
  id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  team_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c',
  at: new Date('2026-11-20T16:04:11.000Z'),
  action: 'member.role_changed',
  actor_kind: 'user',
  actor_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1d',
  api_key_id: null,
  actor_name: 'mia@example.com',
  address: '203.0.113.7',
  user_agent: 'Mozilla',
  target_kind: 'member',
  target_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1e',
  target_name: 'jonas@example.com',
  details: { role: 'admin', before: 'member', list: [{ b: 1, a: 'ü' }] },
};

describe('the hash of an entry', () => {
  it('covers the text that the contract says', () => {
    expect(canonicalEntry(row)).toBe(
      '["019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b","019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c","2026-11-20T16:04:11.000Z","member.role_changed","user",' +
        '"019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1d","","mia@example.com","203.0.113.7","Mozilla","member","019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1e",' +
        '"jonas@example.com",{"before":"member","list":[{"a":"ü","b":1}],"role":"admin"}]',
    );
    const start = createHash('sha256').update(`longshore audit log ${row.team_id}`).digest();
    expect(chainStart(row.team_id)).toEqual(start);
    const whole = Buffer.concat([start, Buffer.from(canonicalEntry(row))]);
    expect(chainHash(start, row)).toEqual(createHash('sha256').update(whole).digest());
  });

  it('does not depend on the order in which details were stored', () => {
    expect(canonicalEntry({ ...row, details: { list: [{ a: 'ü', b: 1 }], before: 'member', role: 'admin' } })).toBe(canonicalEntry(row));
  });

  const others: Partial<AuditRow>[] = [
    { id: row.team_id },
    { team_id: row.id },
    { at: new Date(row.at.getTime() + 1) },
    { action: 'member.removed' },
    { actor_kind: 'api_key' },
    { actor_id: null },
    { api_key_id: row.id },
    { actor_name: '' },
    { address: '203.0.113.8' },
    { user_agent: '' },
    { target_kind: '' },
    { target_id: '' },
    { target_name: 'x' },
    { details: {} },
  ];
  it.each(others)('is another with %o', (other) => {
    const before = chainStart(row.team_id);
    expect(chainHash(before, { ...row, ...other })).not.toEqual(chainHash(before, row));
  });
  it('is another after another entry', () => {
    expect(chainHash(chainStart(row.id), row)).not.toEqual(chainHash(chainStart(row.team_id), row));
  });
});
