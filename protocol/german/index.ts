import { connections } from './connections.ts';
import { gateways } from './gateways.ts';
import { images } from './images.ts';
import { inGerman } from './in-german.ts';
import { outbound } from './outbound.ts';
import { packages } from './packages.ts';
import { providerFailures } from './providers/index.ts';
import { refusals } from './refusals.ts';
import type { Sentence } from './sentence.ts';
import { settings } from './settings.ts';
import { singleSignOn } from './single-sign-on.ts';
import { transfers } from './transfers.ts';
import { values } from './values.ts';
import { visitors } from './visitors.ts';

/**
 * The sentences of the service in German, by the form that they have in English: what it says of fields, and refusals whose
 * code alone says too little. A sentence that is not here is shown as the service says it. Each begins with a small letter
 * where it may follow the name of a field. The first form that fits counts.
 */
export const germanSentences: readonly Sentence[] = [
  ...values,
  ...settings,
  ...images,
  ...singleSignOn,
  ...connections,
  ...packages,
  ...refusals,
  ...transfers,
  ...gateways,
  ...providerFailures,
  ...outbound,
  ...visitors,
];

/** A text of the service in German; null where some of it is not known. */
export const german = (text: string): string | null => inGerman(germanSentences, text);
