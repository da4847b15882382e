import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { PackageListQuery } from '#protocol/hosted/packages.ts';
import { coerceQuery } from '#service/http/query.ts';

const schema = Type.Object({
  page: Type.Integer(),
  ratio: Type.Number(),
  flag: Type.Boolean(),
  names: Type.Array(Type.String()),
  numbers: Type.Array(Type.Integer()),
  text: Type.String(),
});

describe('coerceQuery', () => {
  it.each([
    [{ page: '12' }, { page: 12 }],
    [{ page: '-3' }, { page: -3 }],
    [{ page: '1e3' }, { page: '1e3' }],
    [{ page: '' }, { page: '' }],
    [{ page: '99999999999999999999' }, { page: '99999999999999999999' }],
    [{ ratio: '0.5' }, { ratio: 0.5 }],
    [{ flag: 'true' }, { flag: true }],
    [{ flag: '0' }, { flag: false }],
    [{ flag: 'yes' }, { flag: 'yes' }],
    [{ names: 'a,b' }, { names: ['a', 'b'] }],
    [{ names: ['a', 'b,c'] }, { names: ['a', 'b', 'c'] }],
    [{ names: '' }, { names: [] }],
    [{ numbers: '1,x' }, { numbers: [1, 'x'] }],
    [{ text: '12' }, { text: '12' }],
    [{ unknown: '1' }, {}],
    [{ constructor: '1', toString: '2' }, {}],
  ])('%j becomes %j', (query, expected) => {
    expect(coerceQuery(query, schema)).toEqual(expected);
  });

  it.each([{ text: 'a\0b' }, { names: ['a', '\0'] }])('refuses %j, naming the parameter', (query) => {
    expect(() => coerceQuery(query, schema)).toThrow(`The query parameter ${Object.keys(query)[0]} must not contain NUL characters.`);
    expect(coerceQuery({ unknown: '\0' }, schema)).toEqual({});
  });

  it('is empty for a route without a query', () => {
    expect(coerceQuery({ a: '1' }, undefined)).toEqual({});
  });

  it('accepts the states of a package list in both forms', () => {
    expect(coerceQuery({ status: 'new,archived' }, PackageListQuery)).toEqual({ status: ['new', 'archived'] });
    expect(coerceQuery({ status: ['new', 'archived'] }, PackageListQuery)).toEqual({ status: ['new', 'archived'] });
  });
});
