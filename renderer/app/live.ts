import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState } from 'react';
import type { AgentCallError } from '#client/agent-call-error.ts';
import { followEvents, type LiveSignal } from '#client/agent-events.ts';
import { absorbAutomation, absorbRemovedAutomation } from '../automations/queries.ts';
import { absorbUnreachable, sessionsKey } from '../session/queries.ts';
import { absorbMount, absorbRemovedMount } from '../settings/mounts/queries.ts';
import { absorbSettings } from '../settings/queries.ts';
import type { Feed } from '../transfers/feed.ts';
import { useApp } from './context.ts';
import { storeNewer } from './store-newer.ts';

type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly failure: AgentCallError };

/** Writes the event stream's changes into the page's caches and passes the events to components that show transfers. */
function absorb(cache: QueryClient, feed: Feed, signal: LiveSignal): void {
  if (signal.type === 'connected') {
    void cache.invalidateQueries();
    feed.emit({ type: 'reset' });
  }
  if (signal.type !== 'events') return;
  const { events } = signal;
  if (events.some((event) => event.type === 'events.lost')) {
    void cache.invalidateQueries();
    feed.emit({ type: 'reset' });
  }
  for (const event of events) {
    if (event.type === 'settings.changed') absorbSettings(cache, event.settings);
    if (event.type === 'services.changed') absorbUnreachable(cache, event.unreachable);
    if (event.type === 'automation.changed') absorbAutomation(cache, event.automation);
    if (event.type === 'automation.removed') absorbRemovedAutomation(cache, event.automation_id);
    if (event.type === 'mount.changed') absorbMount(cache, event.mount);
    if (event.type === 'mount.removed') absorbRemovedMount(cache, event.mount_id);
    if (event.type !== 'sessions.changed') continue;
    storeNewer(cache, sessionsKey, event.sessions);
    void cache.invalidateQueries({ queryKey: ['status'] });
  }
  feed.emit({ type: 'events', events });
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}

/** Follows the agent's events while the page is open. A new `generation` reconnects, e.g. with a new token. */
export function useLiveConnection(generation: number): Connection {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' });
  useEffect(() => {
    const stop = new AbortController();
    void followEvents(client, {
      signal: stop.signal,
      sleep,
      onSignal(signal) {
        if (stop.signal.aborted) return;
        if (signal.type === 'connected') setConnection({ state: 'live' });
        if (signal.type === 'disconnected') setConnection({ state: 'lost', failure: signal.failure });
        absorb(cache, feed, signal);
      },
    });
    return () => stop.abort();
  }, [client, cache, feed, generation]);
  return connection;
}

/** Whether the event stream is connected. If not, the page may show old data. */
export const LiveContext = createContext(true);
export const useLive = (): boolean => useContext(LiveContext);
