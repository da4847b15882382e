import type { Language } from '#ui/locale.ts';
import { de } from './de/handover.ts';
import { en, type Messages } from './en/handover.ts';

/** Loaded with the part of a page that hands over, and not at first. */
export const handoverMessages: Readonly<Record<Language, Messages | typeof de>> = { en, de };
