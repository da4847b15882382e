import { createContext, useContext, useSyncExternalStore } from 'react';

/** Whether the service answers, as the last call has shown. */
export interface Connection {
  readonly answers: () => boolean;
  readonly subscribe: (changed: () => void) => () => void;
  /** Called after each call. */
  report(answered: boolean): void;
}

export function createConnection(): Connection {
  const listeners = new Set<() => void>();
  let answers = true;
  return {
    answers: () => answers,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    report(answered) {
      if (answered === answers) return;
      answers = answered;
      for (const changed of listeners) changed();
    },
  };
}

export const ConnectionContext = createContext<Connection>(createConnection());

export function useAnswers(): boolean {
  const { subscribe, answers } = useContext(ConnectionContext);
  return useSyncExternalStore(subscribe, answers);
}
