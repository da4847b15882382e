import { expect, it } from 'vitest';
import type { ApiRequest } from '#client/ports.ts';
import { parseTraceparent } from '#protocol/trace-context.ts';
import { withVisitTrace } from '#web/common/visit-trace.ts';

/** The header of each request that one visit sends. */
async function sent(requests: readonly Partial<ApiRequest>[]): Promise<(string | undefined)[]> {
  const seen: (string | undefined)[] = [];
  const fetcher = withVisitTrace(async ({ headers }) => {
    seen.push(headers['traceparent']);
    return { status: 200, headers: {}, text: '' };
  });
  for (const more of requests) await fetcher({ method: 'GET', url: 'https://share.example.com/v1/x', headers: {}, ...more });
  return seen;
}
const service = 'https://share.example.com';

it('says to the service by one trace what belongs to a visit, and nothing to a storage', async () => {
  const [first, second, toStorage] = await sent([{ service }, { service }, {}]);
  expect(parseTraceparent(first)).toMatchObject({ sampled: false });
  expect(second).toBe(first);
  expect(toStorage).toBeUndefined();
});

it('is another one for each visit, and valid whatever the digits', async () => {
  const visits = await Promise.all(Array.from({ length: 300 }, () => sent([{ service }])));
  const ids = visits.map(([header]) => parseTraceparent(header)?.traceId);
  expect(new Set(ids).size).toBe(300);
  expect(ids).not.toContain(undefined);
});
