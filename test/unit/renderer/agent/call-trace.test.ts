import { expect, it } from 'vitest';
import { createAgentClient } from '#client/agent.ts';
import { parseTraceparent, traceparentName } from '#protocol/trace-context.ts';
import { withCallTrace } from '#renderer/agent/call-trace.ts';

it('names a trace of its own with each call, beside the headers that it has', async () => {
  const seen: Headers[] = [];
  const transport = withCallTrace(async (_, init) => {
    seen.push(new Headers(init.headers));
    return Response.json({});
  });
  const client = createAgentClient({ transport, token: () => 'secret' });
  await client.call('getSettings', {});
  await client.call('getSettings', {});
  const ids = seen.map((headers) => parseTraceparent(headers.get(traceparentName) ?? undefined)?.traceId);
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain(undefined);
  expect(seen[0]!.get('authorization')).toBe('Bearer secret');
});
