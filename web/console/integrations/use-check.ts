import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { refusal } from '#client/refusals.ts';
import { EventParser } from '#client/server-sent-events.ts';
import type { ConnectionCheckEvent } from '#protocol/hosted/connections.ts';
import { useTeam } from '../app/account.ts';
import { useTransport } from '../app/api.ts';
import { connectionsKey } from './calls.ts';
import { type CheckProgress, newProgress, withEvent } from './check-progress.ts';

export interface Check {
  /** Null before the first one. */
  readonly progress: CheckProgress | null;
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly start: () => Promise<void>;
  readonly stop: () => void;
}

/** Connections that were made just now in this tab. */
const justMade = new Set<string>();

/** The page of a connection that was just made begins with a check: nothing else tells whether it works. */
export const checkAtFirst = (connectionId: string): void => void justMade.add(connectionId);

/** Checks a connection while somebody looks: it stops when the page goes. */
export function useCheck(connectionId: string): Check {
  const { baseUrl, fetcher } = useTransport();
  const cache = useQueryClient();
  const team = useTeam();
  const running = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [progress, setProgress] = useState<CheckProgress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const start = async (): Promise<void> => {
    const stopping = new AbortController();
    const { signal } = stopping;
    running.current = stopping;
    const parser = new EventParser();
    let now = newProgress;
    const show = (next: CheckProgress): void => {
      now = next;
      setProgress(next);
    };
    setRunning(true);
    setError(null);
    show(newProgress);
    try {
      const reply = await fetcher({
        service: baseUrl,
        method: 'POST',
        url: `${baseUrl}/v1/cloud_connections/${connectionId}/validate/events`,
        headers: { accept: 'text/event-stream' },
        signal,
        onText(piece) {
          for (const { data } of parser.push(piece)) show(withEvent(now, JSON.parse(data) as ConnectionCheckEvent));
        },
      });
      if (reply.status !== 200) throw refusal(reply);
      if (!now.check) throw new Error('The answer broke off.');
    } catch (thrown) {
      if (!signal.aborted) setError(thrown);
    } finally {
      setRunning(false);
      void cache.invalidateQueries({ queryKey: connectionsKey(team.id) });
    }
  };
  useEffect(() => {
    if (justMade.delete(connectionId)) void start();
  });
  return { progress, isRunning, error, start, stop };
}
