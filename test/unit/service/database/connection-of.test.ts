import { describe, expect, it } from 'vitest';
import { connectionOf } from '#service/database/connection-of.ts';
import { displayUrlOf } from '#service/database/display-url.ts';

describe('the address of a database', () => {
  it.each([
    'postgres://mia:se,cret@db.example.com:5432/longshore?sslmode=verify-full',
    'postgresql://db.example.com/longshore?target_session_attrs=any',
    'postgres://longshore@%2Fvar%2Frun%2Fpostgresql/longshore',
    'postgres:///longshore?host=/var/run/postgresql',
    'nonsense',
  ])('%s is passed on', (url) => expect(connectionOf(url)).toEqual({ connectionString: url }));

  it.each<[string, readonly [name: string, url: string][]]>([
    [
      'postgres://mia:se,cret@a.example.com,b.example.com:5433/longshore?target_session_attrs=read-write&sslmode=require',
      [
        ['a.example.com:5432', 'postgres://mia:se,cret@a.example.com/longshore?target_session_attrs=read-write&sslmode=require'],
        ['b.example.com:5433', 'postgres://mia:se,cret@b.example.com:5433/longshore?target_session_attrs=read-write&sslmode=require'],
      ],
    ],
    [
      'postgres://[::1]:5432,[fd00::2]/longshore',
      [
        ['[::1]:5432', 'postgres://[::1]:5432/longshore'],
        ['[fd00::2]:5432', 'postgres://[fd00::2]/longshore'],
      ],
    ],
    [
      'postgres:///longshore?host=a.example.com,b.example.com&port=5432,5433&user=mia&password=secret',
      [
        ['a.example.com:5432', 'postgres:///longshore?host=a.example.com&port=5432&user=mia&password=secret'],
        ['b.example.com:5433', 'postgres:///longshore?host=b.example.com&port=5433&user=mia&password=secret'],
      ],
    ],
    [
      'postgres:///longshore?host=a,b&port=5433',
      [
        ['a:5433', 'postgres:///longshore?host=a&port=5433'],
        ['b:5433', 'postgres:///longshore?host=b&port=5433'],
      ],
    ],
    ['postgres://a/longshore?target_session_attrs=primary', [['a:5432', 'postgres://a/longshore?target_session_attrs=primary']]],
  ])('%s names servers of which one is the primary', (url, servers) => {
    expect(connectionOf(url)).toEqual({
      connectionString: servers[0]![1],
      servers: servers.map(([name, connectionString]) => ({ name, connectionString })),
    });
  });

  it.each(['standby', 'read-only', 'prefer-standby', 'nonsense'])('that asks for a %s server is refused in words', (attributes) => {
    const of = () => connectionOf(`postgres://mia:secret@a,b/longshore?target_session_attrs=${attributes}`);
    expect(of).toThrow(
      expect.objectContaining({ code: 'option_invalid', message: expect.stringMatching(/needs the primary: leave that out/) }),
    );
    expect(of).not.toThrow(/secret/);
  });

  it.each(['postgres://a,,b/longshore', 'postgres://a,/longshore', 'postgres:///longshore?host=a,'])(
    '%s has a server without a name: refused in words',
    (url) => {
      expect(() => connectionOf(url)).toThrow(/names a server without a name/);
    },
  );

  it('is shown without user, password and options', () => {
    expect(displayUrlOf('postgres://mia:secret@a.example.com,b.example.com:5433/longshore?x=y')).toBe(
      'a.example.com:5432, b.example.com:5433',
    );
    expect(displayUrlOf('postgres://mia:secret@a.example.com:5433/longshore?x=y')).toBe('a.example.com:5433/longshore');
    expect(displayUrlOf('nonsense')).toMatch(/^the given address/);
  });
});
