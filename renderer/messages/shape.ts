import type { SameShape } from '#ui/locale.ts';
import type { en } from './en/index.ts';

/** The messages of the page in any language. */
export type Messages = SameShape<typeof en>;
