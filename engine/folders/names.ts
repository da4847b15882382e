import { createNumbering } from '#protocol/numbered-names.ts';

/** Returns a free name: the name itself, or the first of `name (2).ext`, `name (3).ext` … */
export function withNumber(name: string, isFree: (candidate: string) => boolean): string {
  return createNumbering()(name, isFree);
}

/** A name or path for a message: without characters that control a terminal or change the text direction. */
export function shownName(name: string): string {
  return name.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD').slice(0, 300);
}
