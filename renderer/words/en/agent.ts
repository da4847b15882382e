import { causes } from './causes.ts';
import { errors } from './errors.ts';
import { phrases } from './phrases.ts';

/** What the agent says, in the page's words. */
export const agent = {
  /** The agent speaks it itself. */
  tongue: 'en',
  errors,
  causes,
  phrases,
  tryingAgain: (seconds: string) => `Trying again in ${seconds} s.`,
} as const;
