import { useCallback, useState } from 'react';
import { useApp } from '../app/context.ts';
import { useFormat } from '../messages/format.ts';
import { faultText, plainText } from '../messages/localized-text.ts';
import type { Dropped } from './dropped.ts';

interface DroppedPaths {
  readonly take: (dropped: Dropped) => void;
  /** The agent looks for what was dropped. */
  readonly looking: boolean;
}

/**
 * Turns a drop into paths of the agent's machine. A browser tells no paths: the agent looks in its allowed folders for
 * what has these names, sizes and times. `onTrouble` is told what was not found, or null.
 */
export function useDroppedPaths(onPaths: (paths: readonly string[]) => void, onTrouble: (trouble: string | null) => void): DroppedPaths {
  const { client } = useApp();
  const { messages } = useFormat();
  const [looking, setLooking] = useState(0);
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
        const { paths } = await client.call('findDropped', { body: { entries: [...entries] } });
        onPaths(paths.filter((path) => path !== null));
        const missing = entries.filter((_, index) => paths[index] === null).map(({ name }) => name);
        if (missing.length > 0) onTrouble(texts.notFound(missing.join(', ')));
      };
      setLooking((count) => count + 1);
      look()
        .catch((error: unknown) => onTrouble(plainText(faultText(error, messages))))
        .finally(() => setLooking((count) => count - 1));
    },
    [client, messages, onPaths, onTrouble],
  );
  return { take, looking: looking > 0 };
}
