import { describe, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import type { RequestPart, SchemaProblem } from '#protocol/route-schemas.ts';
import { invalidRequest, toFailure } from '#service/http/failures.ts';
import { StorageError } from '#storage/errors.ts';

function logged() {
  const lines: object[] = [];
  const keep = (facts: object) => {
    lines.push(facts);
  };
  return { lines, log: { debug: keep, info: keep, warn: keep, error: keep } };
}

describe('toFailure', () => {
  it('passes errors of the catalogue on unchanged', () => {
    const error = new ApiError('wrong_password');
    expect(toFailure(error, logged().log)).toBe(error);
  });

  it('hides other errors from the caller behind an id that is in the log', () => {
    const { lines, log } = logged();
    const failure = toFailure(new Error('the password is hunter2'), log);
    expect(failure.status).toBe(500);
    expect(failure.message).not.toContain('hunter2');
    expect(lines).toHaveLength(1);
    expect(failure.message).toContain((lines[0] as { trace_id: string }).trace_id);
  });

  it.each([
    [Object.assign(new Error('x'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }), 'unsupported_media_type'],
    [Object.assign(new Error('x'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }), 'body_too_large'],
    [Object.assign(new Error('x'), { code: 'FST_ERR_CTP_INVALID_JSON_BODY', statusCode: 400 }), 'malformed_json'],
    [Object.assign(new Error('x'), { code: 'FST_ERR_BAD_URL', statusCode: 400 }), 'invalid_request'],
    [Object.assign(new Error('could not extend file'), { code: '53100' }), 'service_database_full'],
    [Object.assign(new Error('the database system is shutting down'), { code: '57P03' }), 'unavailable'],
    [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), 'unavailable'],
    [new Error('Connection terminated unexpectedly'), 'unavailable'],
    [new Error('Client has encountered a connection error and is not queryable'), 'unavailable'],
    [new Error('Client was closed and is not queryable'), 'unavailable'],
    [Object.assign(new Error('duplicate key'), { code: '23505' }), 'internal'],
    [new StorageError('storage_unavailable', 'The bucket does not answer.'), 'storage_unavailable'],
    [new StorageError('storage_refused', 'The bucket does not let us list parts.'), 'storage_refused'],
    [new StorageError('invalid_key', 'No.'), 'internal'],
    ['a thrown text', 'internal'],
  ])('takes %s for %s', (error, expected) => {
    expect(toFailure(error, logged().log).error).toBe(expected);
  });
});

describe('the sentence about a field', () => {
  const problem = (keyword: string, instancePath: string, params: Record<string, unknown>) => [
    { keyword, instancePath, params, message: 'is odd' },
  ];
  it.each<[SchemaProblem[], RequestPart, string]>([
    [problem('required', '', { missingProperty: 'name' }), 'body', 'The field name is missing.'],
    [problem('required', '/file_extras', { missingProperty: 'upload_id' }), 'body', 'The field file_extras.upload_id is missing.'],
    [problem('format', '/recipients/2', { format: 'email' }), 'body', 'The field recipients[2] must be an e-mail address.'],
    [problem('required', '/rules/0', { missingProperty: 'values' }), 'body', 'The field rules[0].values is missing.'],
    [problem('type', '/a~1b/0', { type: 'string' }), 'body', 'The field a/b[0] must be of type string.'],
    [problem('maximum', '/limit', { limit: 50 }), 'query', 'The query parameter limit must be at most 50.'],
    [
      problem('enum', '/action', { allowedValues: ['active', 'inactive'] }),
      'params',
      'The path parameter action must be one of active, inactive.',
    ],
    [problem('minLength', '/name', { limit: 1 }), 'body', 'The field name must not be empty.'],
    [problem('type', '', { type: 'object' }), 'body', 'The body must be a JSON object.'],
    [problem('maxProperties', '', { limit: 100 }), 'body', 'The body must have at most 100 entries.'],
    [problem('maxProperties', '/headers', { limit: 50 }), 'body', 'The field headers must have at most 50 entries.'],
    [problem('uniqueItems', '/events', { i: 0, j: 1 }), 'body', 'The field events must not have the same entry twice.'],
    [problem('propertyNames', '/headers', { propertyName: '' }), 'body', 'The field headers has a name that is too long or empty: "".'],
    [problem('pattern', '/a/b', {}), 'body', 'The field a.b is odd.'],
  ])('%#: %j', (problems, where, expected) => {
    expect(invalidRequest(problems, where)).toMatchObject({ error: 'invalid_request', message: expected });
  });
});
