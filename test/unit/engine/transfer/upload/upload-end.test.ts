import { expect, test } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import { cleanUp } from '#engine/transfer/upload/upload-end.ts';
import { ApiError } from '#protocol/errors.ts';
import type { PackageState } from '#protocol/hosted/packages.ts';

/** A service with one package in this state, or none; notes what it is asked. */
function serviceWith(state: PackageState | null) {
  const asked: string[] = [];
  const api = createHostedClient({
    baseUrl: 'https://service.example',
    fetcher: async ({ method, url }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      const { status, body } = new ApiError('not_found', { resource: 'package' });
      if (state === null) return { status, headers: {}, text: JSON.stringify(body) };
      return method === 'GET' ? { status: 200, headers: {}, text: JSON.stringify({ state }) } : { status: 204, headers: {}, text: '' };
    },
  });
  return { asked, freed: () => cleanUp(api, 'p', true, new AbortController().signal) };
}

test.each([
  ['new', ['GET /v1/packages/p', 'DELETE /v1/packages/p'], true],
  ['expired', ['GET /v1/packages/p'], true],
  ['archived', ['GET /v1/packages/p'], true],
  ['finalized', ['GET /v1/packages/p'], false],
  [null, ['GET /v1/packages/p'], true],
] as const)('what a cancelled upload left, the package being %s: gone or left as it is', async (state, calls, gone) => {
  const { asked, freed } = serviceWith(state);
  expect(await freed()).toBe(gone);
  expect(asked).toEqual(calls);
});
