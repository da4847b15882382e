import { useCallback, useEffect, useRef, useState } from 'react';
import { useApp } from '../../app/context.ts';
import { useFormat } from '../../messages/format.ts';
import { faultText, plainText } from '../../messages/localized-text.ts';
import { useAskBeforeUnload } from '../../ui/ask-before-unload.ts';
import type { BrowserEntry } from '../dropped.ts';
import { readEntries, UnsendableEntry } from './read-entries.ts';
import { createDropSender, type DropSender } from './send-drop.ts';

/** Files and folders on their way from the browser to the agent. */
export interface Copy {
  readonly key: number;
  readonly names: readonly string[];
  /** Null while the browser still looks through its folders. */
  readonly bytes: number | null;
  readonly sent: number;
  /** Why it has stopped. */
  readonly error: string | null;
  cancel(): void;
  retry(): void;
}

/** Copies of what the agent cannot find itself. `onPaths` is told where they are once they are whole. */
export function useCopies(onPaths: (paths: readonly string[]) => void): {
  readonly copies: readonly Copy[];
  readonly start: (entries: readonly BrowserEntry[]) => void;
} {
  const { client } = useApp();
  const { messages } = useFormat();
  const [copies, setCopies] = useState<readonly Copy[]>([]);
  const nextKey = useRef(0);
  const running = useRef(new Map<number, () => void>());
  const latest = useRef({ messages, onPaths });
  latest.current = { messages, onPaths };
  useAskBeforeUnload(() => running.current.size > 0);
  // A form that is closed forgets what is not whole.
  useEffect(
    () => () => {
      for (const cancel of running.current.values()) cancel();
    },
    [],
  );

  const start = useCallback(
    (entries: readonly BrowserEntry[]): void => {
      const key = nextKey.current++;
      const stop = new AbortController();
      let sender: DropSender | null = null;
      const change = (fields: Partial<Copy>): void => setCopies((all) => all.map((one) => (one.key === key ? { ...one, ...fields } : one)));
      const end = (): void => {
        running.current.delete(key);
        setCopies((all) => all.filter((one) => one.key !== key));
      };
      const cancel = (): void => {
        stop.abort();
        sender?.discard();
        end();
      };
      const run = async (): Promise<void> => {
        change({ error: null });
        try {
          if (!sender) {
            const tree = await readEntries(entries, stop.signal);
            change({ bytes: tree.bytes });
            sender = createDropSender(client, tree, { onProgress: (sent) => change({ sent }) });
          }
          const paths = await sender.send(stop.signal);
          end();
          latest.current.onPaths(paths);
        } catch (error) {
          if (stop.signal.aborted) return sender?.discard();
          const { messages: texts } = latest.current;
          const { unsendable } = texts.send.paths;
          change({
            error: error instanceof UnsendableEntry ? unsendable[error.kind](error.path) : plainText(faultText(error, texts)),
          });
        }
      };
      running.current.set(key, cancel);
      const begun: Copy = {
        key,
        names: entries.map(({ name }) => name),
        bytes: null,
        sent: 0,
        error: null,
        cancel,
        retry: () => void run(),
      };
      setCopies((all) => [...all, begun]);
      void run();
    },
    [client],
  );
  return { copies, start };
}
