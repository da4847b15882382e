/**
 * Text that others wrote, made fit for a message: nothing in it breaks a line, hides, or turns the reading direction
 * of what stands around it.
 */

// Directional overrides and isolates, zero-width marks, the byte order mark and the interlinear anchors.
const invisible = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/**
 * Whether it is one plain address. Checked before it is put into headers and commands: a mail library may find another
 * address in what only looks like one.
 */
export const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s\p{Cc}@<>(),;:"[\]\\]+@[^\s\p{Cc}@<>(),;:"[\]\\]+$/u.test(text);

/** On one line, without control characters; cut to so many characters. */
export function oneLine(text: string, length = 255): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replaceAll(invisible, '')
    .trim();
  const characters = [...clean];
  return characters.length <= length ? clean : `${characters.slice(0, length - 1).join('')}…`;
}

/** Lines without control characters but for the tab, at most one empty one in a row, none at either end. */
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
