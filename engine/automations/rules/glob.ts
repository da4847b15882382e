/**
 * Shell-style patterns as regular expressions of RE2, which match in time linear in the path: whoever may put a file
 * into a watched folder chooses its name, and must not be able to keep the agent busy with it.
 *
 * - `*` any characters within a name, `?` one, `[a-z]` one of these, `[!a-z]` one that is none of these
 * - `**` as a whole part: any folders, or none
 * - `{mov,mxf}` one of these, and may be nested
 * - `\` takes the meaning from the character after it
 *
 * What is not closed stands for itself, so that `Take [2.mov` finds that file.
 */

const special = /[\\^$.*+?()[\]{}|/]/g;
const escaped = (text: string): string => text.replace(special, '\\$&');

/**
 * The regular expression of a pattern, without anchors.
 *
 * @param glob with `/` between folders, on every system
 */
export function globToRe2(glob: string): string {
  const parts = glob.split('/');
  let source = '';
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    if (part === '**') source += last ? '.*' : '(?:.*/)?';
    else source += nameToRe2(part) + (last ? '' : '/');
  }
  return source;
}

function nameToRe2(part: string): string {
  const braces = bracesOf(part);
  let source = '';
  for (let at = 0; at < part.length; at += 1) {
    const character = part[at]!;
    const brace = braces.get(at);
    const classEnd = character === '[' ? endOfClass(part, at) : -1;
    if (character === '\\' && at + 1 < part.length) source += escaped(part[++at]!);
    else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (brace !== undefined) source += brace;
    else if (classEnd > 0) {
      source += classToRe2(part.slice(at + 1, classEnd));
      at = classEnd;
    } else source += escaped(character);
  }
  return source;
}

/** What stands for each brace and comma that belongs to a closed pair, by its position. */
function bracesOf(part: string): Map<number, string> {
  const found = new Map<number, string>();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  for (let at = 0; at < part.length; at += 1) {
    const character = part[at];
    if (character === '\\') at += 1;
    else if (character === '[') at = Math.max(at, endOfClass(part, at));
    else if (character === '{') open.push({ at, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(at);
    else if (character === '}') {
      const pair = open.pop();
      if (!pair || pair.commas.length === 0) continue;
      found.set(pair.at, '(?:').set(at, ')');
      for (const comma of pair.commas) found.set(comma, '|');
    }
  }
  return found;
}

/** Where the class that begins at `at` ends; -1 where it is not closed, or empty. */
function endOfClass(part: string, at: number): number {
  const first = part[at + 1] === '!' || part[at + 1] === '^' ? at + 2 : at + 1;
  // A bracket right at the beginning is one of the characters.
  return part.indexOf(']', first + 1);
}

function classToRe2(inside: string): string {
  const negated = inside.startsWith('!') || inside.startsWith('^');
  const characters = (negated ? inside.slice(1) : inside).replace(/[\\[\]^]/g, '\\$&');
  return `[${negated ? '^/' : ''}${rangesOf(characters)}]`;
}

/** A range from a higher to a lower character is no range: its hyphen stands for itself. */
const rangesOf = (characters: string): string =>
  characters.replace(/(\\?.)-(\\?.)/gsu, (range, from: string, to: string) => (from.at(-1)! <= to.at(-1)! ? range : `${from}\\-${to}`));
