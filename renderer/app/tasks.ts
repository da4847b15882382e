import { createContext, useContext } from 'react';
import type { Dropped } from '../paths/dropped.ts';

/** Initial values of the send form. The person sees and may change all of them before anything is sent. */
export interface SendDraft {
  /** Absolute paths on the agent's machine. */
  readonly paths?: readonly string[];
  /** Sends through this Portal instead of to a Team. */
  readonly portal?: PortalDraft;
  readonly name?: string;
  readonly description?: string;
  /** The sender's e-mail address, for a Portal. */
  readonly sender?: string;
  /** What was dropped on the page. */
  readonly dropped?: Dropped;
}

export interface PortalDraft {
  /** The service's address without a slash at the end. */
  readonly service: string;
  /** The Portal's name in its address. */
  readonly subdomain: string;
}

export interface GetDraft {
  /** A download link with its secret. */
  readonly url?: string;
}

/** The forms that can be opened above every route. */
export interface Tasks {
  send(draft?: SendDraft): void;
  get(draft?: GetDraft): void;
  /** Goes on with what a browser has begun, by the address that it shows. */
  continueHandover(link: string): void;
}

export const TasksContext = createContext<Tasks | null>(null);

/** Opens the send or the download form from any component. */
export function useTasks(): Tasks {
  const tasks = useContext(TasksContext);
  if (!tasks) throw new Error('TasksContext is missing above this component.');
  return tasks;
}
