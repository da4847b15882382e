import { type AgentEvent, eventRoutes, eventsHeartbeatSeconds } from '#protocol/agent/events.ts';
import type { AgentClient } from './call.ts';
import { AgentFailure } from './failure.ts';
import { EventParser } from './sse.ts';

/** Signals from the event stream: connected (lists should be read again), disconnected, or something has changed. */
export type LiveSignal =
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected'; readonly failure: AgentFailure; readonly retryInMs: number }
  | { readonly type: 'events'; readonly events: readonly AgentEvent[] };

export interface LiveOptions {
  readonly signal: AbortSignal;
  readonly onSignal: (signal: LiveSignal) => void;
  /** Waits; resolves early, without an error, when the signal fires. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The backoff before the nth attempt in a row (from 1), in milliseconds. */
export function reconnectDelay(attempt: number): number {
  return Math.min(10_000, 500 * 2 ** Math.min(attempt - 1, 10));
}

/** Silence that means a dead connection: two missed heartbeats plus a margin. */
const silenceLimitMs = (2 * eventsHeartbeatSeconds + 10) * 1_000;

/**
 * Keeps the agent's event stream open until the signal fires: reconnects with a growing backoff, and requests missed
 * events by `Last-Event-ID`. Never rejects.
 */
export async function followEvents(client: AgentClient, options: LiveOptions): Promise<void> {
  let lastId: string | null = null;
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
  client: AgentClient,
  options: LiveOptions,
  lastId: string | null,
  onProgress: (id: string | null) => void,
): Promise<AgentFailure> {
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), silenceLimitMs);
  try {
    const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId };
    const stream = await client.open(eventRoutes.streamEvents.path, headers, signal);
    onProgress(lastId);
    options.onSignal({ type: 'connected' });
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return AgentFailure.offline(new Error('The event stream ended.'));
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceLimitMs);
      const raw = parser.push(decoder.decode(value, { stream: true }));
      if (raw.length === 0) continue;
      const events = raw.map((event) => JSON.parse(event.data) as AgentEvent);
      options.onSignal({ type: 'events', events });
      // Only processed events are not requested again.
      onProgress(raw.at(-1)?.id ?? lastId);
    }
  } catch (error) {
    return error instanceof AgentFailure ? error : AgentFailure.offline(error);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
