import type { Words } from '../shape.ts';
import { errors } from './errors.ts';
import { phrases } from './phrases.ts';

export const agent: Words['agent'] = {
  tongue: 'de',
  errors,
  phrases,
  tryingAgain: (seconds) => `Nächster Versuch in ${seconds} s.`,
};
