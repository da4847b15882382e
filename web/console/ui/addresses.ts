import { isEmailAddress } from '#protocol/email.ts';

export interface Addresses {
  /** Each once, regardless of case, in the order in which they were typed. */
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/**
 * The e-mail addresses in a text as people paste it: separated by commas, semicolons, spaces or lines, also in the form
 * `Mia Sandberg <mia@example.com>`.
 */
export function addressesIn(text: string): Addresses {
  const named = [...text.matchAll(/<([^<>\s]+@[^<>\s]+)>/g)].map((found) => found[1]!);
  // A name before `<…>` is not an address that was mistyped.
  const rest = text.replaceAll(/[^,;\n<>]*<[^<>\s]+@[^<>\s]+>/g, ' ');
  const parts = [...named, ...rest.split(/[\s,;]+/)].filter(Boolean);
  const good = new Map<string, string>();
  const bad: string[] = [];
  for (const part of parts) {
    if (!isEmailAddress(part)) bad.push(part);
    else if (!good.has(part.toLowerCase())) good.set(part.toLowerCase(), part);
  }
  return { good: [...good.values()], bad };
}
