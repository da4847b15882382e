import { describe, expect, it } from 'vitest';
import { connectionOf } from '#service/database/connection-of.ts';
import { displayUrlOf } from '#service/database/display-url.ts';

it('names a database without its user, password and options', () => {
  expect(displayUrlOf('postgres://mia:secret@db.example.com:5432/longshore?sslkey=x')).toBe('db.example.com:5432/longshore');
  expect(displayUrlOf('nonsense')).toContain('postgres://');
});

describe('a password with characters that end the host of an address', () => {
  const hosts = ['db.example.com/longshore', 'a.example.com,b.example.com:5433/longshore?target_session_attrs=read-write'];
  const passwords = ['se,cret/hidden', 'se/cret,hidden', '12/secret', '12?secret', '12#secret', 'se@cret/hidden', 'se?cret=hidden/x'];
  const addresses = passwords.flatMap((password) => hosts.map((host) => `postgres://mia:${password}@${host}`));

  it.each(addresses)('shows nothing of itself: %s', (address) => {
    expect(displayUrlOf(address)).toMatch(/^the given address/);
    let message = '';
    try {
      connectionOf(address);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain('write / as %2F');
    expect(message).not.toMatch(/cret|hidden|12/);
  });

  it.each(['postgres://db.example.com/longshore?user=mia@db&password=a@b', 'postgres://mia:12%2Fsecret@db.example.com/longshore'])(
    'is taken where it is encoded or an option: %s',
    (address) => {
      expect(displayUrlOf(address)).toBe('db.example.com/longshore');
      expect(connectionOf(address)).toEqual({ connectionString: address });
    },
  );
});
