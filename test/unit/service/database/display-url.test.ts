import { expect, it } from 'vitest';
import { displayUrlOf } from '#service/database/display-url.ts';

it('names a database without its user, password and options', () => {
  expect(displayUrlOf('postgres://mia:secret@db.example.com:5432/longshore?sslkey=x')).toBe('db.example.com:5432/longshore');
  expect(displayUrlOf('nonsense')).toContain('postgres://');
});
