import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { coerceQuery, invalidRequest } from '#agent-api/validation.ts';
import { TransferQuery } from '#protocol/agent/transfers.ts';

describe('a query', () => {
  it.each<[Record<string, unknown>, Record<string, unknown>]>([
    [
      { page: '2', limit: '10' },
      { page: 2, limit: 10 },
    ],
    [{ state: 'queued,error' }, { state: ['queued', 'error'] }],
    [{ state: ['queued', 'error,paused'] }, { state: ['queued', 'error', 'paused'] }],
    [{ page: 'two' }, { page: 'two' }],
    [{ page: '1e3' }, { page: '1e3' }],
    [{ page: ['1', '2'] }, { page: ['1', '2'] }],
    [{ name: '12' }, { name: '12' }],
    [{ unknown: 'x', name: 'a' }, { name: 'a' }],
    [{}, {}],
  ])('%j becomes %j', (query, expected) => {
    expect(coerceQuery(query, TransferQuery)).toEqual(expected);
  });

  it('knows booleans by their words only', () => {
    const schema = Type.Object({ a: Type.Boolean(), b: Type.Boolean(), c: Type.Boolean() });
    expect(coerceQuery({ a: 'true', b: 'false', c: '1' }, schema)).toEqual({ a: true, b: false, c: '1' });
  });

  it('is empty for a route without one', () => {
    expect(coerceQuery({ a: '1' }, undefined)).toEqual({});
  });
});

describe('a failed check', () => {
  it.each([
    [{ keyword: 'required', instancePath: '', params: { missingProperty: 'team_id' } }, 'The field team_id is missing.'],
    [{ keyword: 'required', instancePath: '/a/0', params: { missingProperty: 'id' } }, 'The field a.0.id is missing.'],
    [{ keyword: 'enum', instancePath: '/sort', params: { allowedValues: ['a', 'b'] } }, 'The field sort must be one of a, b.'],
    [{ keyword: 'format', instancePath: '/email', params: { format: 'email' } }, 'The field email is not a valid e-mail address.'],
    [
      { keyword: 'minItems', instancePath: '/paths', params: {}, message: 'must NOT have fewer than 1 items' },
      'The field paths must not have fewer than 1 items.',
    ],
    [{ keyword: 'type', instancePath: '', params: {}, message: 'must be object' }, 'The body must be object.'],
    [{ keyword: 'type', instancePath: '/a~1b~0c', params: {}, message: 'must be string' }, 'The field a/b~c must be string.'],
  ])('%j reads %j', (error, message) => {
    expect(invalidRequest([error], 'body')).toMatchObject({ error: 'invalid_request', status: 400, message });
  });
});
