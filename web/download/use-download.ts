import { useCallback, useState } from 'react';
import { traceIdToShow } from '#client/trace-id.ts';
import type { Format } from '../messages/download.ts';
import { usePageEnvironment } from './environment.ts';
import { reasonOf } from './view.ts';

/** A download by the browser itself. */
export interface Wanted {
  /** Tells it from others: a file's id, or a folder's path. */
  readonly key: string;
  /** Of what is saved. */
  readonly name: string;
  readonly address: () => Promise<string>;
}

interface Problem {
  readonly text: string;
  readonly traceId: string;
}

/**
 * Downloads by the browser: requests an address and navigates to it. The page does not hear what becomes of it, so
 * `begun` is what it has handed over last.
 */
export function useDownload(format: Format) {
  const { fetchTo } = usePageEnvironment();
  const [asking, setAsking] = useState<string | null>(null);
  /** What has failed: the language may change while it is said. */
  const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null);
  const [begun, setBegun] = useState<Wanted | null>(null);
  const start = useCallback(
    async (wanted: Wanted): Promise<void> => {
      setFailure(null);
      setBegun(null);
      setAsking(wanted.key);
      try {
        fetchTo(await wanted.address());
        setBegun(wanted);
      } catch (error) {
        setFailure({ error });
      } finally {
        setAsking(null);
      }
    },
    [fetchTo],
  );
  const problem: Problem | null = failure && {
    text: format.messages.get.failed(reasonOf(failure.error, format)),
    traceId: traceIdToShow(failure.error),
  };
  const dismiss = useCallback(() => setBegun(null), []);
  return { asking, problem, begun, start, dismiss };
}
