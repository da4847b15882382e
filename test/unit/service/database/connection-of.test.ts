import { describe, expect, it } from 'vitest';
import { connectionOf } from '#service/database/connection-of.ts';

describe('the address of a database', () => {
  it.each([
    'postgres://mia:se,cret@db.example.com:5432/longshore?sslmode=verify-full',
    'postgresql://db.example.com/longshore?target_session_attrs=any',
    'postgres://longshore@%2Fvar%2Frun%2Fpostgresql/longshore',
    'postgres:///longshore?host=/var/run/postgresql',
    'nonsense',
  ])('%s is passed on', (url) => expect(connectionOf(url)).toEqual({ connectionString: url }));

  it.each([
    'postgres://mia:secret@a.example.com,b.example.com/longshore?target_session_attrs=read-write',
    'postgres://mia:secret@a.example.com:5432,b.example.com:5433/longshore',
    'postgres:///longshore?host=a.example.com,b.example.com&user=mia&password=secret',
  ])('%s names several servers: it is refused in words that name them and the way out, without the password', (url) => {
    expect(() => connectionOf(url)).toThrow(
      expect.objectContaining({ code: 'option_invalid', message: expect.stringMatching(/a\.example\.com.*b\.example\.com.*HAProxy/) }),
    );
    expect(() => connectionOf(url)).not.toThrow(/secret/);
  });

  it('refuses to choose by the state of a server', () => {
    expect(() => connectionOf('postgres://db.example.com/longshore?target_session_attrs=read-write')).toThrow(
      /target_session_attrs=read-write.*leads to the primary/,
    );
  });
});
