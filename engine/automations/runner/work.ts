import type { AutomationRecord } from '../record.ts';

/** What a pass found, for those who look at the automation. */
export interface PassResult {
  /** Milliseconds until the next pass; a pass comes earlier where something happens. */
  readonly nextInMs: number;
  /** What it waits for, in words; empty if for nothing. */
  readonly waitingFor: string;
  /** How many files or packages wait. */
  readonly waiting: number;
  /** What is wrong, in words; empty if nothing is. The automation goes on all the same. */
  readonly message: string;
  /** `needs_you`: a person has to do something; `error`: nothing can be done now; else whether transfers are under way. */
  readonly state: 'watching' | 'working' | 'error' | 'needs_you';
}

/**
 * What an automation of one kind does. The runner calls `pass` when one is due, never while another pass of the same
 * automation runs. What a pass throws becomes the state `error` with its words, and the next pass comes with backoff.
 */
export interface AutomationWork {
  /** Looks, decides and acts once. `record` is the automation as it is now. */
  pass(record: AutomationRecord, signal: AbortSignal): Promise<PassResult>;
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

/** What a kind's work gets from the runner. */
export interface WorkContext {
  readonly id: string;
  /** The automation as it is now. */
  readonly record: () => AutomationRecord;
  /** Makes a pass due at once. */
  readonly wake: () => void;
}
