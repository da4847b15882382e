import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** The agent's local API, as a program uses it that wants to know at once when a transfer is over. */
export interface AgentDoor {
  /**
   * One call; without a body in the answer, `undefined`.
   *
   * @throws Error with the agent's own sentence when it refuses
   */
  ask<T>(path: string, method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', body?: unknown): Promise<T>;
  /**
   * Asks for a transfer and follows the agent's events until it is complete.
   *
   * @throws Error with the transfer's own sentence when it fails
   */
  complete(collection: '/uploads' | '/downloads', body: unknown): Promise<AgentTransfer>;
}

export function createDoor(agentUrl: string, signal: AbortSignal): AgentDoor {
  const ask: AgentDoor['ask'] = async <T>(path: string, method = 'GET', body?: unknown): Promise<T> => {
    const sent = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const reply = await fetch(`${agentUrl}/api/v1${path}`, { method, ...sent, signal });
    const text = await reply.text();
    const answer = (text === '' ? undefined : JSON.parse(text)) as T & { message?: string };
    if (!reply.ok) throw new Error(`The agent answered ${path} with ${reply.status}: ${answer?.message}`);
    return answer;
  };
  return {
    ask,
    async complete(collection, body) {
      const over = new AbortController();
      try {
        // Listening begins before asking, so that no event is missed.
        const stream = await fetch(`${agentUrl}/api/v1/events`, { signal: AbortSignal.any([signal, over.signal]) });
        const events = eventsOf(stream.body!);
        const asked = await ask<AgentTransfer>(collection, 'POST', body);
        for await (const event of events) {
          if ('transfer' in event && event.transfer.id === asked.id) {
            const { state, error } = event.transfer;
            if (state === 'complete') return event.transfer;
            if (state === 'error' || state === 'cancelled') throw new Error(error?.message ?? `The transfer ended as ${state}.`);
          }
          if (event.type === 'events.lost') throw new Error('The agent dropped events: its reader was too slow.');
        }
        throw new Error('The agent ended in the midst of a transfer.');
      } finally {
        over.abort();
      }
    },
  };
}

/** Takes the body at once: fetch ends one that nobody reads yet as soon as its response is collected as garbage. */
function eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<AgentEvent> {
  return eventsFrom(body.getReader());
}

async function* eventsFrom(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<AgentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice(5)) as AgentEvent;
  }
}
