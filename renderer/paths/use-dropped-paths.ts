import { useCallback, useState } from 'react';
import type { AgentClient } from '#client/agent.ts';
import { useApp } from '../app/context.ts';
import { useFormat } from '../messages/format.ts';
import { faultText, plainText } from '../messages/localized-text.ts';
import type { DescribedEntry, Dropped } from './dropped.ts';
import { type Copy, useCopies } from './drops/use-copies.ts';

export interface DroppedPaths {
  readonly take: (dropped: Dropped) => void;
  /** The agent looks for what was dropped. */
  readonly looking: boolean;
  /** What the agent did not find, and this browser sends it. */
  readonly copies: readonly Copy[];
}

/** As many as the agent looks for at once. */
const mostAtOnce = 1_000;

/**
 * Turns a drop into paths of the agent's machine. A browser tells no paths: the agent looks in its allowed folders for
 * what has these names, sizes and times, and what it does not find this browser sends to it. `onTrouble` is told what
 * keeps it from that, or null.
 */
export function useDroppedPaths(onPaths: (paths: readonly string[]) => void, onTrouble: (trouble: string | null) => void): DroppedPaths {
  const { client } = useApp();
  const { messages } = useFormat();
  const [looking, setLooking] = useState(0);
  const { copies, start } = useCopies(onPaths);
  const take = useCallback(
    (dropped: Dropped): void => {
      const { paths: texts } = messages.send;
      onTrouble(null);
      if (dropped.kind === 'paths') {
        if (dropped.paths.length > 0) onPaths(dropped.paths);
        else onTrouble(texts.noPath);
        return;
      }
      const look = async (): Promise<void> => {
        const entries = await dropped.entries;
        if (entries.length === 0) return onTrouble(texts.noPath);
        const paths = await find(client, entries);
        onPaths(paths.filter((path) => path !== null));
        const missing = entries.filter((_, index) => paths[index] === null);
        if (missing.length > 0) start(missing.map(({ entry }) => entry));
      };
      setLooking((count) => count + 1);
      look()
        .catch((error: unknown) => onTrouble(plainText(faultText(error, messages))))
        .finally(() => setLooking((count) => count - 1));
    },
    [client, messages, onPaths, onTrouble, start],
  );
  return { take, looking: looking > 0, copies };
}

async function find(client: Pick<AgentClient, 'call'>, entries: readonly DescribedEntry[]): Promise<(string | null)[]> {
  const found: (string | null)[] = [];
  for (let at = 0; at < entries.length; at += mostAtOnce) {
    const some = entries.slice(at, at + mostAtOnce).map(({ described }) => described);
    found.push(...(await client.call('findDropped', { body: { entries: some } })).paths);
  }
  return found;
}
