/**
 * Which names a package may contain: only those that every operating system can write to disk, Windows being the
 * strictest. The service rejects others at creation; an agent and a page can check before sending.
 */

/** Windows allows at most 255 UTF-16 units in one name. */
const maxUnits = 255;

/** Device names, which Windows reserves in every folder and with every extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;

const controlCharacter = /\p{Cc}/u;
const windowsReserved = /[<>:"|?*\\]/;

/**
 * Invisible characters that change the direction of the text after them (Unicode's `Bidi_Control`: U+061C, U+200E,
 * U+200F, U+202A–E, U+2066–9): with one of them `gnp.exe` reads as `exe.png`. New names must not contain one; names
 * from elsewhere are kept, and shown without them.
 */
const bidiControl = /\p{Bidi_Control}/u;
const bidiControls = /\p{Bidi_Control}/gu;

/** Whether a text contains a character that changes the direction of the text after it. */
export function hasBidiControl(text: string): boolean {
  return bidiControl.test(text);
}

/** The end of a sentence that says why a text with such a character is refused. */
const bidiFault = 'it contains a character that turns the direction of text';

/** A text with each such character replaced. */
export function withoutBidiControls(text: string, by = '_'): string {
  return text.replace(bidiControls, by);
}

/** Invisible characters: white space of any script, and what a font does not draw (zero width, fillers, tags). */
const unseen = '\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cc}\\u2800';
const seen = new RegExp(`[^${unseen}]`, 'u');

/** Whether a text has no visible character, whatever its length. */
export function isBlank(text: string): boolean {
  return !seen.test(text);
}

/** Schema pattern of names that users choose: at least one visible character, and none that changes the direction of text. */
export const namePattern = `^\\P{Bidi_Control}*[^\\p{Bidi_Control}${unseen}]\\P{Bidi_Control}*$`;

/** The end of a sentence about such a name, e.g. `The field name …`. */
export const nameRule = 'must have something to see in it, and no character that turns the direction of text';

/** Makes a valid name from the name of a file or folder, which may be any text. */
export function nameFrom(text: string, otherwise: string): string {
  const name = withoutBidiControls(text);
  return isBlank(name) ? otherwise : name;
}

/** Why one component (a file's or a folder's name) is not allowed, as the end of a sentence; `null` if it is allowed. */
export function partFault(part: string): string | null {
  if (part === '') return 'a name is empty';
  if (!controlCharacter.test(part) && !hasBidiControl(part) && isBlank(part)) return 'a name shows nothing: it has only blanks';
  if (part === '.' || part === '..') return `"${part}" would lead to another folder`;
  if (part.includes('\0')) return 'it contains a NUL character';
  if (controlCharacter.test(part)) return 'it contains a control character';
  if (hasBidiControl(part)) return `"${withoutBidiControls(part, '\uFFFD').slice(0, 80)}": ${bidiFault}`;
  if (!part.isWellFormed()) return 'it is not well-formed Unicode';
  if (part.includes('/')) return `"${part}" contains "/", which separates folders`;
  const reserved = windowsReserved.exec(part);
  if (reserved) return `"${part}" contains ${reserved[0]}, which Windows cannot hold`;
  if (part.endsWith('.')) return `"${part}" ends with a dot, which Windows cannot hold`;
  if (part.endsWith(' ')) return `"${part}" ends with a space, which Windows cannot hold`;
  // Windows checks only the part before the first dot, without trailing spaces: "NUL .txt" is the device too.
  const stem = part.split('.', 1)[0]!.trimEnd();
  if (deviceName.test(stem)) return `"${part}" is a device on Windows (${stem.toUpperCase()})`;
  if (part.length > maxUnits) return `"${part.slice(0, 40)}…" is longer than ${maxUnits} characters`;
  return null;
}

/**
 * Why a file at `path` (folders joined by `/`, empty for the root) with `name` is not allowed, as a whole sentence that
 * names the field; `null` if it is allowed.
 */
export function entryFault(path: string, name: string): string | null {
  const inName = partFault(name);
  if (inName) return `name: ${inName}.`;
  if (path === '') return null;
  if (path.startsWith('/')) return 'path: it is absolute; give the folder inside the package, such as "camera-a/day-1".';
  for (const part of path.split('/')) {
    const inPart = partFault(part);
    if (inPart) return `path: ${inPart}.`;
  }
  return null;
}
