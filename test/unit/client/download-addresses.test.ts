import { expect, test } from 'vitest';
import { addressOf, batchOfAddresses, downloadCapabilities } from '#client/download-addresses.ts';
import { createHostedClient } from '#client/hosted.ts';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { AgentError, ApiError, type ErrorName } from '#protocol/errors.ts';

const signal = new AbortController().signal;
const ok = (body: unknown): ApiReply => ({ status: 200, headers: {}, text: JSON.stringify(body) });
const refused = (name: ErrorName, details: Record<string, string> = {}): ApiReply => {
  const { status, body } = new AgentError(name, details);
  return { status, headers: {}, text: JSON.stringify(body) };
};

function setUp(answer: (request: ApiRequest, ids: readonly string[]) => ApiReply) {
  const asked: (readonly string[] | string)[] = [];
  const api = createHostedClient({
    baseUrl: 'https://files.example.com',
    fetcher: async (request) => {
      const ids = request.body ? (JSON.parse(request.body) as { file_ids: string[] }).file_ids : [];
      asked.push(request.body ? ids : new URL(request.url).pathname);
      return answer(request, ids);
    },
  });
  return { asked, api };
}

test('addresses of many come by one call, each by itself', async () => {
  const notFound = new ApiError('not_found', { resource: 'file' }).body;
  const { api, asked } = setUp(() =>
    ok({
      files: [
        { file_id: 'a', error: notFound },
        { file_id: 'b', url: 'https://b' },
      ],
    }),
  );
  const answers = await batchOfAddresses({ api, packageId: 'p', signal }, ['a', 'b']);
  expect(answers.map(({ url, error }) => url ?? error?.code)).toEqual([notFound.code, 'https://b']);
  expect(asked).toEqual([['a', 'b']]);
});

test('a call that is refused, or answered for other files, fails all', async () => {
  const failure = (answer: ApiReply) => batchOfAddresses({ api: setUp(() => answer).api, packageId: 'p', signal }, ['a']);
  await expect(failure(refused('link_expired'))).rejects.toMatchObject({ error: 'link_expired' });
  await expect(failure(ok({ files: [] }))).rejects.toMatchObject({ code: 'wrong_answer' });
});

test('the address of one comes by a call of its own', async () => {
  const { api, asked } = setUp(() => ok({ method: 'GET', url: 'https://storage.example.com/single' }));
  expect(await addressOf({ api, packageId: 'p', signal }, 'a')).toBe('https://storage.example.com/single');
  expect(asked).toEqual(['/v1/packages/p/files/a/download']);
});

test('what a service offers is read from its spec, nothing where it says nothing', async () => {
  const said = setUp(() => ok({ max_batch_downloads: 7, many_objects_url: 'https://storage.example.com/-/objects' }));
  expect(await downloadCapabilities(said.api, signal)).toEqual({ maxFiles: 7, batchGetUrl: 'https://storage.example.com/-/objects' });
  expect(await downloadCapabilities(setUp(() => ok({})).api, signal)).toEqual({ maxFiles: 0, batchGetUrl: null });
});
