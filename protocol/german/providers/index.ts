import type { Sentence } from '../sentence.ts';
import { advice } from './advice.ts';
import { anyProvider } from './any.ts';
import { azure } from './azure.ts';
import { backblaze } from './backblaze.ts';
import { box } from './box.ts';
import { closed } from './closed.ts';
import { frameio } from './frameio.ts';
import { google } from './google.ts';
import { iconik } from './iconik.ts';
import { names } from './names.ts';
import { s3 } from './s3.ts';

/** Why a cloud's storage did not do what was asked of it: one sentence says what is wrong, the next what to do. */
export const providerFailures: readonly Sentence[] = [
  ...advice,
  ...s3,
  ...azure,
  ...backblaze,
  ...box,
  ...frameio,
  ...google,
  ...iconik,
  ...closed,
  ...names,
  ...anyProvider,
];
