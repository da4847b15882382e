import { isUtf8 } from 'node:buffer';

/**
 * The possible decodings of a text in a header, without duplicates: as sent, and URI-decoded. Clients should encode,
 * since a header cannot contain Unicode, but not all of them do: `100%41` may be the literal text that a person
 * chose, and raw UTF-8 is received here as one character per byte.
 */
export function possibleDecodings(sent: string): readonly string[] {
  const bytes = Buffer.from(sent, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString() : sent;
  return [...new Set([sent, text, decoded(text)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
