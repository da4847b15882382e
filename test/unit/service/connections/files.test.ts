import { describe, expect, it } from 'vitest';
import { ProviderError, type ProviderErrorCode, providerErrorCodes } from '#providers/errors.ts';
import type { CloudEntry } from '#providers/ports.ts';
import { browseStorage, listFiles } from '#service/connections/files.ts';
import { createSeal } from '#service/seal.ts';
import { createInMemoryProvider } from '#test/support/providers/in-memory-provider.ts';

const connection = {
  id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  provider: 'amazon_s3',
  direction: 'cloud_to_service',
  sealed_authorization: Buffer.alloc(0),
  source_directory_ids: [],
  state: 'ok',
  state_message: '',
  storage_gateway_id: null,
} as const;

/** What a listing needs, with a provider whose `list` is this. Only what blames the connection is written down. */
function contextWith(list: () => Promise<{ entries: readonly CloudEntry[]; cursor: string | null }>) {
  const provider = { ...createInMemoryProvider(), list };
  const written: unknown[] = [];
  const query = {
    set(values: unknown) {
      written.push(values);
      return query;
    },
    where: () => query,
    execute: async () => [],
  };
  const context = {
    cloudProviders: {
      open: async () => provider,
      use: async (_: unknown, work: (one: typeof provider) => Promise<unknown>) => work(provider),
    },
    db: { updateTable: () => query },
    seal: createSeal(new Uint8Array(32)),
    disconnection: () => new AbortController().signal,
  };
  return { context: context as unknown as Parameters<typeof listFiles>[2], written };
}

const file = { kind: 'file', id: 'a.mov', name: 'a.mov', size: 5, etag: 'x', modified: null, archived: false } as const;

it('marks what lies in cold storage, and leaves out what is not known', async () => {
  const entries = [file, { ...file, id: 'b.mov', name: 'b.mov', archived: true, modified: new Date(0) }];
  const { context } = contextWith(async () => ({ entries, cursor: null }));
  expect(await listFiles(connection, { prefix: '', count: 10 }, context)).toEqual({
    records: [
      { id: 'a.mov', name: 'a.mov', kind: 'file', size: 5 },
      { id: 'b.mov', name: 'b.mov', kind: 'file', size: 5, last_modified: '1970-01-01T00:00:00.000Z', archived: true },
    ],
    prev_key: '',
  });
});

it("shows nothing of the provider's own cursor, and takes it back", async () => {
  const { context } = contextWith(async () => ({ entries: [], cursor: 'payroll/2026.csv' }));
  const { prev_key } = await listFiles(connection, { prefix: 'a', count: 1 }, context);
  expect(Buffer.from(prev_key, 'base64url').toString('latin1')).not.toContain('payroll');
  await listFiles(connection, { prefix: 'a', count: 1, prev_key }, context);
  const other = { ...connection, id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c' };
  await expect(listFiles(other, { prefix: 'a', count: 1, prev_key }, context)).rejects.toMatchObject({ error: 'invalid_request' });
});

it('shows all of the destination to whoever chooses the folders', async () => {
  const restricted = { ...connection, source_directory_ids: ['dailies'] };
  const { context } = contextWith(async () => ({ entries: [{ kind: 'folder', id: 'payroll', name: 'payroll' }], cursor: 'on' }));
  await expect(listFiles(restricted, { prefix: 'payroll', count: 1 }, context)).rejects.toMatchObject({ error: 'not_found' });
  const { records, prev_key } = await listFiles(restricted, { prefix: '', count: 1, within: 'destination' }, context);
  expect(records).toEqual([{ id: 'payroll', name: 'payroll', kind: 'directory' }]);
  await listFiles(restricted, { prefix: '', count: 1, within: 'destination', prev_key }, context);
  await expect(listFiles(restricted, { prefix: '', count: 1, prev_key }, context)).rejects.toMatchObject({ error: 'invalid_request' });
});

describe('storage that is not connected yet', () => {
  const authorization = { client_id: 'id', client_secret: 's', destination: 'b', endpoint: 's3.example.com', region: 'eu' };
  const asked = { provider: 'wasabi_s3', authorization, prefix: '', count: 1 } as const;

  it('is listed, and its next page by the same credentials alone', async () => {
    const { context, written } = contextWith(async () => ({ entries: [file], cursor: 'on' }));
    const { records, prev_key } = await browseStorage('team', asked, context);
    expect(records.map(({ id }) => id)).toEqual(['a.mov']);
    await browseStorage('team', { ...asked, prev_key }, context);
    const others = { ...asked, prev_key, authorization: { ...authorization, endpoint: 's3.example.org' } };
    await expect(browseStorage('team', others, context)).rejects.toMatchObject({ error: 'invalid_request' });
    await expect(browseStorage('other', { ...asked, prev_key }, context)).rejects.toMatchObject({ error: 'invalid_request' });
    expect(written).toEqual([]);
  });

  it.each([
    ['azure', {}, 'direction'],
    ['wasabi_s3', { client_id: 'id' }, 'authorization.client_secret'],
    ['synology_sg', {}, 'provider'],
    [
      'amazon_s3',
      { role_arn: 'arn:aws:iam::123456789012:role/longshore', destination: 'b', region: 'eu-central-1' },
      'authorization.role_arn',
    ],
  ] as const)('of %s by %j is refused, and the field named', async (provider, sent, field) => {
    const { context } = contextWith(() => Promise.reject(new Error('not to be asked')));
    const refused = browseStorage('team', { provider, authorization: sent, prefix: '', count: 1 }, context);
    await expect(refused).rejects.toMatchObject({ error: 'invalid_request', message: expect.stringContaining(field) });
  });
});

const passing: Partial<Record<ProviderErrorCode, string>> = {
  unreachable: 'storage_unavailable',
  busy: 'storage_unavailable',
  corrupted: 'storage_unavailable',
  bad_answer: 'storage_unavailable',
  not_found: 'not_found',
};

it.each(providerErrorCodes)('%s is told to whoever looks into the folder', async (code) => {
  const failure = new ProviderError(code, 'What to do.');
  const { context, written } = contextWith(() => Promise.reject(failure));
  const error = passing[code] ?? 'state_conflict';
  await expect(listFiles(connection, { prefix: '', count: 1 }, context)).rejects.toMatchObject({ error });
  expect(written).toEqual(failure.blame === 'connection' ? [{ state: 'error', state_message: 'What to do.' }] : []);
});
