import { expect, it } from 'vitest';
import { ProviderError, type ProviderErrorCode, providerErrorCodes } from '#providers/errors.ts';
import type { CloudEntry } from '#providers/ports.ts';
import { listFiles } from '#service/connections/files.ts';
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
