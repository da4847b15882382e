import { describe, expect, it } from 'vitest';
import { checkRoles, everyRole, parseRoles, type Role } from '#service/roles/roles.ts';

const database = { databaseUrl: 'postgres://localhost/longshore' };
const bucket = { storageUrl: 's3://bucket' };
const storage = { storagePublicUrl: 'https://storage.example.com' };
const api = { publicUrl: 'https://files.example.com' };

describe('roles as they are given', () => {
  it.each<[string, readonly Role[]]>([
    ['api', ['api']],
    ['worker,storage', ['worker', 'storage']],
    [' storage , api,worker', ['storage', 'api', 'worker']],
    ['api,api', ['api']],
  ])('%j', (text, roles) => {
    expect([...parseRoles(text)]).toEqual(roles);
  });

  it.each([
    ['web', 'web is not a role in --role: give one or more of api, worker, storage, with commas.'],
    ['api,jobs', 'jobs is not a role in --role'],
    ['API', 'API is not a role'],
    ['', 'A role is missing in --role'],
    ['api,', 'A role is missing in --role'],
  ])('%j is refused', (text, message) => {
    expect(() => parseRoles(text)).toThrow(expect.objectContaining({ code: 'option_invalid', message: expect.stringContaining(message) }));
  });
});

describe('what a process with these roles needs', () => {
  it.each<[string, Parameters<typeof checkRoles>[1]]>([
    ['api,worker,storage', {}],
    ['api,worker,storage', bucket],
    ['api', { ...database, ...bucket }],
    ['api', { ...database, ...storage }],
    ['worker', { ...database, ...bucket, ...api }],
    ['worker', { ...database, ...storage, ...api }],
    ['api,worker', { ...database, ...bucket }],
    ['api,storage', database],
    ['storage', database],
  ])('%s with %j can start', (text, settings) => {
    expect(() => checkRoles(parseRoles(text), settings)).not.toThrow();
  });

  it.each<[string, Parameters<typeof checkRoles>[1], string]>([
    ['api', bucket, '--database-url'],
    ['storage', {}, '--database-url'],
    ['worker', { ...storage, ...api }, '--database-url'],
    ['api', database, '--storage-public-url'],
    ['api,worker', { ...database, ...api }, '--storage-public-url'],
    ['storage', { ...database, ...bucket }, '--storage-url'],
    ['api,storage', { ...database, ...bucket }, '--storage-url'],
    ['worker', { ...database, ...bucket }, '--public-url'],
    ['worker,storage', database, '--public-url'],
  ])('%s with %j cannot, and the sentence names %s', (text, settings, option) => {
    expect(() => checkRoles(parseRoles(text), settings)).toThrow(
      expect.objectContaining({ code: 'option_invalid', message: expect.stringContaining(option) }),
    );
  });

  it('all of them by default', () => {
    expect([...everyRole].sort()).toEqual(['api', 'storage', 'worker']);
  });
});
