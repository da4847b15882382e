import { expect, test } from 'vitest';
import { batchGetRequest, createBatchGetRequests, type ObjectToFetch } from '#client/batch-get.ts';
import { TransferError } from '#client/errors.ts';

type Storage = (objects: readonly ObjectToFetch<string>[], nth: number) => TransferError | undefined;

/** A storage that tells of objects what `storage` does. Each round answers for those that came. */
function setUp(storage: Storage) {
  let fetched = 0;
  let gated = false;
  const requests = createBatchGetRequests<string>({
    async fetch(at, objects) {
      expect([at, gated]).toEqual([{ url: 'https://storage.example.com/-/objects' }, true]);
      const failure = storage(objects, ++fetched);
      if (failure) throw failure;
    },
    async gate(work) {
      gated = true;
      return work();
    },
    url: 'https://storage.example.com/-/objects',
    signal: new AbortController().signal,
  });
  const get = async (...names: string[]): Promise<string[]> => {
    const came: string[] = [];
    const objectOf = (sink: string): ObjectToFetch<string> => ({
      from: { url: `https://storage.example.com/${sink}` },
      sink,
      slice: { offset: 0, length: 10 },
      onBytes() {},
      onReceived: () => void came.push(sink),
      onFailure() {},
    });
    await requests.fetch(names.map(objectOf));
    return came;
  };
  return { get, requests, fetched: () => fetched };
}

const theFirst: Storage = ([first]) => void first!.onReceived({ blake3: 'of it' });

test('come in one request, as far as they come', async () => {
  expect(await setUp(theFirst).get('a', 'b')).toEqual(['a']);
});

test.each(['storage_refused', 'address_refused', 'object_gone', 'wrong_answer'] as const)(
  'a request that is %s fails nothing but to bring them',
  async (code) => {
    expect(await setUp(() => new TransferError(code, 'No.')).get('a', 'b')).toEqual([]);
  },
);

test.each(['cut', 'stalled', 'storage_busy', 'storage_failed', 'unreachable'] as const)('a request that is %s is lost', async (code) => {
  await expect(setUp(() => new TransferError(code, 'No.')).get('a', 'b')).rejects.toMatchObject({ code });
});

test('three refusals one after the other are enough', async () => {
  const { get, requests } = setUp((objects, nth) => (nth === 2 ? theFirst(objects, nth) : new TransferError('storage_refused', 'No.')));
  for (const allowed of [true, true, true, true, false]) {
    await get('a', 'b');
    expect(requests.allowed).toBe(allowed);
  }
});

test('a request by one address names all keys that it stands for, and which of them are wanted', () => {
  const at = { shared: 'https://storage.example.com/-/objects?for=x', keys: ['a', 'b', 'c'] };
  const asked = (...positions: number[]) =>
    batchGetRequest(
      at,
      positions.map((position) => ({ from: { position } })),
    );
  expect(asked(0, 1, 2)).toEqual({ url: at.shared, body: '{"objects":["a","b","c"]}' });
  expect(asked(2)).toEqual({ url: at.shared, body: '{"objects":["a","b","c"],"wanted":[2]}' });
});
