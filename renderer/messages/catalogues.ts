import type { Catalogues } from '#ui/locale.ts';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import type { Messages } from './shape.ts';

/** The messages of every language at once. The page loads one of them alone (`locale.ts`). */
export const catalogues: Catalogues<Messages> = { en, de };
