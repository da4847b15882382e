const unreserved = /^[\w.~-]*$/;

/**
 * Percent-encodes everything but RFC 3986's unreserved characters. `encodeURIComponent` leaves `!'()*`,
 * which URL parsers may encode on their own and which RFC 5987 forbids.
 */
export function percentEncode(text: string): string {
  // Ids and numbers, of which a hundred addresses have hundreds.
  if (unreserved.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
