import { expect, it } from 'vitest';
import type { AgentClient } from '#client/agent.ts';
import { AgentCallError } from '#client/agent-call-error.ts';
import { followTransfer } from '#client/agent-transfers.ts';
import type { AgentEvent } from '#protocol/agent/events.ts';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fakeTransfer } from '#test/support/engine/fake-engine.ts';

const transfer = (state: TransferState, id = 't1'): AgentTransfer => ({ ...fakeTransfer(), id, state });
const changed = (state: TransferState, id?: string): AgentEvent => ({ id: 1, type: 'transfer.changed', transfer: transfer(state, id) });
const lost: AgentEvent = { id: 1, type: 'events.lost' };

/** An agent with planned streams of events; null is a refused connection. `current` is the transfer's state when asked. */
function agentWith(streams: (readonly (AgentEvent | 'broken')[] | null)[], current: TransferState = 'transferring') {
  const steps: string[] = [];
  const client = {
    open: async () => {
      const events = streams.shift();
      if (!events) throw AgentCallError.offline(new Error('refused'));
      steps.push('open');
      return new Response(
        new ReadableStream({
          start(body) {
            for (const event of events) {
              if (event === 'broken') return body.error(new Error('reset'));
              body.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
            }
            body.close();
          },
        }),
      );
    },
    call: async (name: string) => {
      steps.push(name);
      return transfer(current);
    },
  } as unknown as AgentClient;
  const states: TransferState[] = [];
  const begin = async (): Promise<AgentTransfer> => {
    steps.push('begin');
    return transfer('queued');
  };
  return { steps, states, follow: () => followTransfer(client, begin, { onChange: ({ state }) => states.push(state) }) };
}

it('listens before it begins, and returns the transfer when it has ended', async () => {
  const { follow, steps, states } = agentWith([[changed('complete', 'other'), changed('transferring'), changed('complete')]]);
  expect(await follow()).toMatchObject({ id: 't1', state: 'complete' });
  expect([steps, states]).toEqual([
    ['open', 'begin'],
    ['queued', 'transferring', 'complete'],
  ]);
});

it.each([
  ['events were lost', [lost]],
  ['the stream ended', []],
  ['the connection broke', ['broken' as const]],
])('reads the current state after %s', async (_, events) => {
  const { follow, steps } = agentWith([events], 'error');
  await expect(follow()).rejects.toMatchObject({ kind: 'offline' });
  expect(steps).toEqual(['open', 'begin']);
  const again = agentWith([events, []], 'error');
  expect((await again.follow()).state).toBe('error');
  expect(again.steps).toEqual(['open', 'begin', 'open', 'getTransfer']);
});

it('begins nothing when the agent does not answer', async () => {
  const { follow, steps } = agentWith([null]);
  await expect(follow()).rejects.toMatchObject({ kind: 'offline' });
  expect(steps).toEqual([]);
});
