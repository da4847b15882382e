/**
 * Sanitises text that other people wrote, for use in a message: the result cannot break a line, hide, or change the
 * reading direction of the surrounding text.
 */

// Directional overrides and isolates, zero-width marks, the byte order mark and the interlinear anchors.
const invisible = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/**
 * Whether the text is exactly one plain address. Checked before it is put into headers and commands: a mail library
 * may parse a different address out of text that only looks like one.
 */
export const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s\p{Cc}@<>(),;:"[\]\\]+@[^\s\p{Cc}@<>(),;:"[\]\\]+$/u.test(text);

/** On one line, without control characters, truncated to `length` characters. */
export function oneLine(text: string, length = 255): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replaceAll(invisible, '')
    .trim();
  const characters = [...clean];
  return characters.length <= length ? clean : `${characters.slice(0, length - 1).join('')}…`;
}

/** Lines without control characters except the tab, with at most one empty line in a row, and none at either end. */
export function cleanLines(text: string): string[] {
  return text
    .toWellFormed()
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)
    .map((line) =>
      line
        .replaceAll('\t', '    ')
        .replaceAll(/\p{Cc}/gu, '')
        .replaceAll(invisible, '')
        .trimEnd(),
    )
    .filter((line, index, lines) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .replace(/\n+$/, '')
    .split('\n')
    .filter((line, _, lines) => lines.length > 1 || line !== '');
}

/**
 * Text of a header that nobody reads as an encoded word (RFC 2047): the mail library leaves one that stands in a name as it is, and
 * readers would decode it into line breaks and all else that `oneLine` removes.
 */
export const withoutEncodedWords = (text: string): string => text.replaceAll('=?', '= ?');
