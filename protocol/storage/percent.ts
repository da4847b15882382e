const unreserved = /^[\w.~-]*$/;

/**
 * Percent-encodes all but RFC 3986's unreserved characters. `encodeURIComponent` leaves `!'()*`, which URL parsers may
 * encode themselves and which RFC 5987 forbids.
 */
export function percentEncode(text: string): string {
  // Fast path for ids and numbers: a hundred addresses contain hundreds of them.
  if (unreserved.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
