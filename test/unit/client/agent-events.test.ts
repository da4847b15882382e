import { describe, expect, it } from 'vitest';
import type { AgentClient, AgentRequest } from '#client/agent.ts';
import { AgentCallError } from '#client/agent-call-error.ts';
import { followEvents, type LiveSignal, reconnectDelay } from '#client/agent-events.ts';
import type { AgentEvent } from '#protocol/agent/events.ts';

const removed = (id: number): AgentEvent => ({ id, type: 'transfer.removed', transfer_id: `t${id}` });
const wire = (...ids: number[]) => ids.map((id) => `id: ${id}\ndata: ${JSON.stringify(removed(id))}\n\n`).join('');

function streamOf(...pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}

/** Follows planned connections until they run out; tells what was asked, signalled and waited. */
async function follow(...plan: (ReadableStream<Uint8Array> | AgentCallError)[]) {
  const stop = new AbortController();
  const asked: (number | null)[] = [];
  const signals: LiveSignal[] = [];
  const waits: number[] = [];
  const client: Pick<AgentClient, 'open'> = {
    open: async (_name, { query }: AgentRequest<'streamEvents'>) => {
      asked.push(query?.after ?? null);
      const next = plan.shift();
      if (next instanceof AgentCallError) throw next;
      return new Response(next);
    },
  };
  await followEvents(client, {
    signal: stop.signal,
    onSignal: (signal) => signals.push(signal),
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      if (plan.length === 0) stop.abort();
    },
  });
  return { asked, signals, waits };
}

describe('followEvents', () => {
  it('gives events as they come and says when it is connected and when not', async () => {
    const { signals } = await follow(streamOf(': here\n\n', wire(1), wire(2, 3)));
    expect(signals).toEqual([
      { type: 'connected' },
      { type: 'events', events: [removed(1)] },
      { type: 'events', events: [removed(2), removed(3)] },
      { type: 'disconnected', failure: expect.any(AgentCallError), retryInMs: 500 },
    ]);
  });

  it('asks for what it missed', async () => {
    const { asked } = await follow(streamOf(wire(4, 5)), streamOf(), streamOf(wire(6)), streamOf());
    expect(asked).toEqual([null, 5, 5, 6]);
  });

  it('waits longer after each failure in a row, and shortly again after a success', async () => {
    const gone = AgentCallError.offline(new Error('refused'));
    const { waits } = await follow(gone, gone, gone, streamOf(wire(1)), gone);
    expect(waits).toEqual([500, 1_000, 2_000, 500, 1_000]);
  });

  it('passes on what the agent answered instead of a stream', async () => {
    const refused = AgentCallError.answered(401, '{"code":262150,"message":"a token is needed"}');
    const { signals } = await follow(refused);
    expect(signals).toEqual([{ type: 'disconnected', failure: refused, retryInMs: 500 }]);
  });

  it('takes a broken event for a broken connection', async () => {
    const { signals, asked } = await follow(streamOf(wire(1), 'id: 2\ndata: {"id":\n\n'), streamOf());
    expect(signals.map((one) => one.type)).toEqual(['connected', 'events', 'disconnected', 'connected', 'disconnected']);
    expect(asked[1]).toBe(1);
  });
});

describe('reconnectDelay', () => {
  it('grows to two seconds and stays there', () => {
    expect([1, 2, 3, 4, 60].map(reconnectDelay)).toEqual([500, 1_000, 2_000, 2_000, 2_000]);
  });
});
