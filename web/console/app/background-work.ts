import { createContext, useContext, useSyncExternalStore } from 'react';

/** What goes on while the person looks at other views, such as sending from this browser. */
export interface Work {
  readonly id: string;
  readonly name: string;
  /** Where it is looked at. */
  readonly href: string;
  /** 0 to 1. */
  readonly share: number;
}

export interface BackgroundWork {
  /** The work, in the order in which it began. */
  list(): readonly Work[];
  subscribe(changed: () => void): () => void;
  report(work: Work): void;
  done(id: string): void;
  /** Calls back when nobody is signed in any more. The returned function forgets it. */
  onEnd(stop: () => void): () => void;
  end(): void;
}

export function createBackgroundWork(): BackgroundWork {
  const listeners = new Set<() => void>();
  const stops = new Set<() => void>();
  const works = new Map<string, Work>();
  let shown: readonly Work[] = [];
  const changed = (): void => {
    shown = [...works.values()];
    for (const listener of listeners) listener();
  };
  return {
    list: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    report(work) {
      const before = works.get(work.id);
      if (before?.name === work.name && before.share === work.share) return;
      works.set(work.id, work);
      changed();
    },
    done(id) {
      if (works.delete(id)) changed();
    },
    onEnd(stop) {
      stops.add(stop);
      return () => stops.delete(stop);
    },
    end() {
      for (const stop of [...stops]) stop();
      works.clear();
      changed();
    },
  };
}

export const BackgroundWorkContext = createContext<BackgroundWork>(createBackgroundWork());

export function useBackgroundWork(): readonly Work[] {
  const { subscribe, list } = useContext(BackgroundWorkContext);
  return useSyncExternalStore(subscribe, list);
}
