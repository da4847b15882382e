import { causes } from './causes.ts';
import { errors } from './errors.ts';
import { phrases } from './phrases.ts';

/** Texts that the agent sends in English, in the language of the page. */
export const agent = {
  /** The language of these texts. The agent's own texts are English. */
  locale: 'en',
  errors,
  causes,
  phrases,
  inLine: (line: string) => `Line ${line}: `,
  tryingAgain: (seconds: string) => `Trying again in ${seconds} s.`,
} as const;
