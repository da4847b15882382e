import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { coerceQuery, invalidRequest } from '#agent-api/validation.ts';
import { TransferQuery } from '#protocol/agent/transfers.ts';
import { timeOfDayPattern } from '#protocol/patterns.ts';

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
    [{ keyword: 'required', instancePath: '/a/0', params: { missingProperty: 'id' } }, 'The field a[0].id is missing.'],
    [{ keyword: 'enum', instancePath: '/sort', params: { allowedValues: ['a', 'b'] } }, 'The field sort must be one of a, b.'],
    [{ keyword: 'format', instancePath: '/email', params: { format: 'email' } }, 'The field email must be an e-mail address.'],
    [
      { keyword: 'minItems', instancePath: '/paths', params: { limit: 1 }, message: 'must NOT have fewer than 1 items' },
      'The field paths must not be empty.',
    ],
    [{ keyword: 'type', instancePath: '', params: { type: 'object' } }, 'The body must be of type object.'],
    [{ keyword: 'type', instancePath: '/a~1b~0c', params: { type: 'string' } }, 'The field a/b~c must be of type string.'],
    [
      { keyword: 'pattern', instancePath: '/start', params: { pattern: timeOfDayPattern } },
      'The field start must be a time of day like 08:00.',
    ],
  ])('%j reads %j', (error, message) => {
    expect(invalidRequest([error], 'body')).toMatchObject({ error: 'invalid_request', status: 400, message });
  });
});
