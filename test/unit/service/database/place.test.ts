import { expect, it } from 'vitest';
import { placeOf } from '#service/database/place.ts';

it('names a database without its user, password and options', () => {
  expect(placeOf('postgres://mia:secret@db.example.com:5432/longshore?sslkey=x')).toBe('db.example.com:5432/longshore');
  expect(placeOf('nonsense')).toContain('postgres://');
});
