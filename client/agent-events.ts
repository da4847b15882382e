import { type AgentEvent, eventsHeartbeatSeconds } from '#protocol/agent/events.ts';
import type { AgentClient } from './agent.ts';
import { AgentCallError } from './agent-call-error.ts';
import { EventParser } from './server-sent-events.ts';

/** The agent's live events (contract/agent.md §8). */

type EventClient = Pick<AgentClient, 'open'>;

/**
 * Opens the event stream once. When this resolves the agent has accepted it, so nothing that is begun afterwards is
 * missed. Each read yields its complete events; the list is empty for a heartbeat or a part of an event.
 *
 * @param after replays the events after this id; without it the stream begins with the next event
 * @throws AgentCallError when the agent refuses, and while reading when the connection breaks
 */
export async function openEvents(client: EventClient, signal: AbortSignal, after?: number): Promise<AsyncGenerator<readonly AgentEvent[]>> {
  const reply = await client.open('streamEvents', { signal, ...(after === undefined ? {} : { query: { after } }) });
  // The reader is taken at once: `fetch` ends a body without a reader when its response is collected as garbage.
  return eventsFrom(reply.body!.getReader());
}

async function* eventsFrom(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<readonly AgentEvent[]> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield parser.push(decoder.decode(read.value, { stream: true })).map((event) => JSON.parse(event.data) as AgentEvent);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Signals from the event stream: connected (lists should be read again), disconnected, or something has changed. */
export type LiveSignal =
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected'; readonly failure: AgentCallError; readonly retryInMs: number }
  | { readonly type: 'events'; readonly events: readonly AgentEvent[] };

export interface LiveOptions {
  readonly signal: AbortSignal;
  readonly onSignal: (signal: LiveSignal) => void;
  /** Waits; resolves early, without an error, when the signal fires. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The backoff before the nth attempt in a row (from 1), in milliseconds. An agent is back within seconds, and few follow
 * it: what is asked for in vain costs less than a page that is old for longer.
 */
export function reconnectDelay(attempt: number): number {
  return Math.min(2_000, 500 * 2 ** Math.min(attempt - 1, 10));
}

/** Silence that means a dead connection: two missed heartbeats plus a margin. */
const silenceLimitMs = (2 * eventsHeartbeatSeconds + 10) * 1_000;

/**
 * Keeps the event stream open until the signal fires: reconnects with a growing backoff, and requests missed events by
 * the id of the last one. Never rejects.
 */
export async function followEvents(client: EventClient, options: LiveOptions): Promise<void> {
  let lastId: number | undefined;
  let attempt = 0;
  while (!options.signal.aborted) {
    const failure = await readOnce(client, options, lastId, (id) => {
      lastId = id;
      attempt = 0;
    });
    if (options.signal.aborted) return;
    attempt += 1;
    const retryInMs = reconnectDelay(attempt);
    options.onSignal({ type: 'disconnected', failure, retryInMs });
    await options.sleep(retryInMs, options.signal);
  }
}

async function readOnce(
  client: EventClient,
  options: LiveOptions,
  lastId: number | undefined,
  onProgress: (id: number | undefined) => void,
): Promise<AgentCallError> {
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), silenceLimitMs);
  try {
    const reads = await openEvents(client, signal, lastId);
    onProgress(lastId);
    options.onSignal({ type: 'connected' });
    for await (const events of reads) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceLimitMs);
      const last = events.at(-1);
      if (!last) continue;
      options.onSignal({ type: 'events', events });
      // Only processed events are not requested again.
      onProgress(last.id);
    }
    return AgentCallError.offline(new Error('The event stream ended.'));
  } catch (error) {
    return error instanceof AgentCallError ? error : AgentCallError.offline(error);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
