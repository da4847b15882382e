/**
 * Which names a package can hold: those that every system can write to disk again, Windows being the
 * strictest. The service refuses the others at creation; an agent and a page can tell before sending.
 */

/** Windows holds at most 255 UTF-16 units in one name. */
const maxUnits = 255;

/** Device names, which Windows reserves in every folder and with every extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;

const controlCharacter = /\p{Cc}/u;
const windowsReserved = /[<>:"|?*\\]/;

/** Why one component (a file's or a folder's name) cannot be held, as the end of a sentence; `null` if it can. */
export function partFault(part: string): string | null {
  if (part === '') return 'a name is empty';
  if (part === '.' || part === '..') return `"${part}" would lead to another folder`;
  if (part.includes('\0')) return 'it contains a NUL character';
  if (controlCharacter.test(part)) return 'it contains a control character';
  if (!part.isWellFormed()) return 'it is not well-formed Unicode';
  if (part.includes('/')) return `"${part}" contains "/", which separates folders`;
  const reserved = windowsReserved.exec(part);
  if (reserved) return `"${part}" contains ${reserved[0]}, which Windows cannot hold`;
  if (part.endsWith('.')) return `"${part}" ends with a dot, which Windows cannot hold`;
  if (part.endsWith(' ')) return `"${part}" ends with a space, which Windows cannot hold`;
  // Windows looks at what stands before the first dot, without trailing spaces: "NUL .txt" is the device too.
  const stem = part.split('.', 1)[0]!.trimEnd();
  if (deviceName.test(stem)) return `"${part}" is a device on Windows (${stem.toUpperCase()})`;
  if (part.length > maxUnits) return `"${part.slice(0, 40)}…" is longer than ${maxUnits} characters`;
  return null;
}

/**
 * Why a file at `path` (folders joined by `/`, empty for the root) with `name` cannot be held, as a whole
 * sentence that names the field; `null` if it can.
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
