import { expect, test } from 'vitest';
import { batchedAddresses, downloadCapabilities } from '#client/download-addresses.ts';
import { createHostedClient } from '#client/hosted.ts';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { AgentError, ApiError, type ErrorName } from '#protocol/errors.ts';

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));
const ok = (body: unknown): ApiReply => ({ status: 200, headers: {}, text: JSON.stringify(body) });
const refused = (name: ErrorName, details: Record<string, string> = {}): ApiReply => {
  const { status, body } = new AgentError(name, details);
  return { status, headers: {}, text: JSON.stringify(body) };
};

function setUp(answer: (request: ApiRequest, ids: readonly string[]) => ApiReply, most = 1_000) {
  const asked: (readonly string[] | string)[] = [];
  const api = createHostedClient({
    baseUrl: 'https://files.example.com',
    fetcher: async (request) => {
      const ids = request.body ? (JSON.parse(request.body) as { file_ids: string[] }).file_ids : [];
      asked.push(request.body ? ids : new URL(request.url).pathname);
      return answer(request, ids);
    },
  });
  const addressOf = batchedAddresses({ api, packageId: 'p', signal: new AbortController().signal, maxFiles: most, linger: soon });
  const get = async (ids: readonly string[]) =>
    (await Promise.allSettled(ids.map(addressOf))).map((one) =>
      one.status === 'fulfilled' ? one.value : (one.reason.error ?? one.reason.code),
    );
  return { get, asked, api };
}

const giving = (_: ApiRequest, ids: readonly string[]): ApiReply =>
  ok({ files: ids.map((file_id) => ({ file_id, method: 'GET', url: `https://storage.example.com/${file_id}` })) });
const single: ApiReply = ok({ method: 'GET', url: 'https://storage.example.com/single' });

test('addresses that are asked for within the linger time come by one call, no more than the service takes', async () => {
  const { get, asked } = setUp(giving, 2);
  expect(await get(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'].map((id) => `https://storage.example.com/${id}`));
  expect(asked).toEqual([['a', 'b'], ['c']]);
});

test('each comes out by itself', async () => {
  const { get } = setUp(() =>
    ok({
      files: [
        { file_id: 'a', error: new ApiError('not_found', { resource: 'file' }).body },
        { file_id: 'b', url: 'https://b' },
        { file_id: 'c' },
      ],
    }),
  );
  expect(await get(['a', 'b', 'c'])).toEqual(['not_found', 'https://b', 'wrong_answer']);
});

test('a call that is refused, or answered for other files, fails each', async () => {
  expect(await setUp(() => refused('link_expired')).get(['a', 'b'])).toEqual(['link_expired', 'link_expired']);
  expect(await setUp(() => ok({ files: [] })).get(['a', 'b'])).toEqual(['wrong_answer', 'wrong_answer']);
});

test('a service that has no such call is asked file by file, from then on', async () => {
  const { get, asked } = setUp((request) => (request.body ? refused('no_such_endpoint', { method: 'POST', path: '/' }) : single));
  expect(await get(['a', 'b'])).toEqual(['https://storage.example.com/single', 'https://storage.example.com/single']);
  expect(await get(['c'])).toEqual(['https://storage.example.com/single']);
  expect(asked).toEqual([['a', 'b'], ...['a', 'b', 'c'].map((id) => `/v1/packages/p/files/${id}/download`)]);
});

test('what a service offers is read from its spec, nothing where it says nothing', async () => {
  const signal = new AbortController().signal;
  const said = setUp(() => ok({ max_batch_downloads: 7, many_objects_url: 'https://storage.example.com/-/objects' }));
  expect(await downloadCapabilities(said.api, signal)).toEqual({ maxFiles: 7, batchGetUrl: 'https://storage.example.com/-/objects' });
  expect(await downloadCapabilities(setUp(() => ok({})).api, signal)).toEqual({ maxFiles: 0, batchGetUrl: null });
});
