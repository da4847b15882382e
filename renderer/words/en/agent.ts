import { errors } from './errors.ts';

/** What the agent says, in the page's words. */
export const agent = {
  /** The agent speaks it itself. */
  tongue: 'en',
  errors,
  phrases: {} as Readonly<Record<string, string>>,
  tryingAgain: (seconds: string) => `Trying again in ${seconds} s.`,
} as const;
