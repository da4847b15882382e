import type { Messages } from '../shape.ts';
import { causes } from './causes.ts';
import { errors } from './errors.ts';
import { phrases } from './phrases.ts';

export const agent: Messages['agent'] = {
  locale: 'de',
  causes,
  errors,
  phrases,
  inLine: (line) => `Zeile ${line}: `,
  tryingAgain: (seconds) => `Nächster Versuch in ${seconds} s.`,
};
