import { createContext, useContext } from 'react';

/** What a form to send starts with; the person sees and may change all of it before anything happens. */
export interface SendDraft {
  /** Absolute paths on the agent's machine. */
  readonly paths?: readonly string[];
  /** Through this Portal instead of to a Team. */
  readonly portal?: PortalDraft;
  readonly name?: string;
  readonly description?: string;
  /** The sender's e-mail address, for a Portal. */
  readonly sender?: string;
  /** What keeps what was dropped from being sent: a browser does not say where it is, or it is in no folder. */
  readonly trouble?: 'notDropped' | 'noPlace';
}

export interface PortalDraft {
  /** The service's address, without a slash at the end. */
  readonly service: string;
  /** The Portal's name in its address. */
  readonly subdomain: string;
}

export interface GetDraft {
  /** A download link, its secret included. */
  readonly url?: string;
}

/** The two forms that can be opened above every place. */
export interface Tasks {
  send(draft?: SendDraft): void;
  get(draft?: GetDraft): void;
}

export const TasksContext = createContext<Tasks | null>(null);

/** Opens the form to send or to get files, from wherever. */
export function useTasks(): Tasks {
  const tasks = useContext(TasksContext);
  if (!tasks) throw new Error('TasksContext is missing above this component.');
  return tasks;
}
