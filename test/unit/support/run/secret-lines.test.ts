import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLogger } from '#service/log.ts';
import { masked, secretIn, secretsInLogs } from '#test/support/run/secret-lines.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const logged = (facts: object): string => `{"level":30,"time":1,${JSON.stringify(facts).slice(1, -1)},"msg":"a call"}`;
const token = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(43)}`;

describe('a line of a log', () => {
  it.each([
    ['a signed token', { url: `/v1/packages?a=${token}` }],
    ['a password in an address', { database: 'postgres://longshore:hunter22@db:5432/x' }],
    ['a signed address', { url: `http://127.0.0.1:1/key?X-Amz-Signature=${'0'.repeat(64)}` }],
    ['a signed address', { path: `/v1/links/1?secret=${'a'.repeat(24)}` }],
    ['a private key', { pem: '-----BEGIN PRIVATE KEY-----\nMIG' }],
    ['a header with a secret', { headers: { 'x-api-key': 'abcdefgh12345678' } }],
    ["the owner's password", { body: 'correct horse battery staple' }],
  ])('tells of %s, and is shown without it', (what, facts) => {
    const line = logged(facts);
    expect(secretIn(line)).toBe(what);
    expect(secretIn(masked(line))).toBeNull();
  });

  it.each([
    { url: '/v1/packages/019aa1b2/files?start=1&count=20' },
    { database: 'postgres://db:5432/x', display: 'postgres://longshore:***@db:5432/x' },
    { headers: { 'x-api-key': '***', 'x-request-id': 'abcdefgh12345678' } },
    { key: '0192aaaa-bbbb-7ccc-8ddd-000000000001', digest: `blake3:${'0'.repeat(64)}` },
  ])('has none in %j', (facts) => {
    expect(secretIn(logged(facts))).toBeNull();
  });

  it('is one of ours alone', () => {
    expect(secretIn(`expected ${token}`)).toBeNull();
  });
});

it('files of logs are looked through, each line', async () => {
  const folder = await tempFolder();
  const log = createLogger('debug', join(folder.path, 'a.log'));
  log.debug({ call: 'listFiles' }, 'a call');
  log.warn({ token }, 'a call failed');
  await writeFile(join(folder.path, 'b.log'), 'no log of ours\n');
  const { lines, found } = await secretsInLogs(folder.path);
  expect([lines, found]).toEqual([3, [expect.stringContaining('<a signed token>')]]);
  await folder.remove();
});
