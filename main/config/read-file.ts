import { readFileSync } from 'node:fs';
import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { exitCodes } from '../cli/exit-codes.ts';
import { CommandError } from '../cli/failure.ts';

/** One line of a configuration file, not yet understood. */
export interface Entry {
  readonly key: string;
  /** A list's own values, or the one there is; null where nothing stands. */
  readonly value: string | readonly string[] | null;
  readonly line: number;
}

/** More than any configuration has; a file given by mistake may be of any size. */
const mostBytes = 1_000_000;

/**
 * Reads a YAML file of the shape `key: value`, values being texts or lists of texts.
 *
 * @throws CommandError that names file and line
 */
export function readConfigFile(file: string): Entry[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { message } = cause as Error;
    throw new CommandError(exitCodes.local, `The configuration file ${file} cannot be read: ${message}. Check --config.`, { cause });
  }
  if (text.length > mostBytes) throw new CommandError(exitCodes.usage, `${file} is too large for a configuration file. Check --config.`);
  return parseConfig(text, file);
}

export function parseConfig(text: string, file: string): Entry[] {
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const refuse = (line: number, why: string, cause?: unknown): never => {
    throw new CommandError(exitCodes.usage, `${file}, line ${line}: ${why}`, { cause });
  };
  let events: ReturnType<typeof parseEvents>;
  try {
    events = parseEvents(text, { filename: file, maxDepth: 10 });
  } catch (error) {
    if (error instanceof YAMLException)
      return refuse((error.mark?.line ?? 0) + 1, `this is not YAML: ${error.reason}. Write key: value.`, error);
    throw error;
  }
  const entries: Entry[] = [];
  let at = 0;
  const flat = (offset: number): never =>
    refuse(lineAt(offset), 'write each setting as key: value, a value being a text or a list of texts.');
  /** The next scalar, or null at the end of what it stands in. */
  const scalar = (): { text: string | null; offset: number } | null => {
    const event = events[at++]!;
    if (event.type === EVENT_ID.POP) return null;
    if (event.type === EVENT_ID.ALIAS) return flat(event.anchorStart);
    if (event.type !== EVENT_ID.SCALAR) return flat('start' in event ? event.start : 0);
    const value = event.valueStart < 0 ? '' : getScalarValue(text, event);
    const nothing = event.style === SCALAR_STYLE.PLAIN && /^(?:|~|null)$/i.test(value);
    return { text: nothing ? null : value, offset: event.valueStart };
  };
  // A file of comments alone has no document, or one with nothing in it.
  if (events[at]?.type !== EVENT_ID.DOCUMENT) return entries;
  at += 1;
  const root = events[at];
  if (root === undefined || root.type === EVENT_ID.POP || (root.type === EVENT_ID.SCALAR && scalar()?.text === null)) return entries;
  if (root.type !== EVENT_ID.MAPPING) return flat('start' in root ? root.start : 0);
  at += 1;
  for (let key = scalar(); key !== null; key = scalar()) {
    const line = lineAt(key.offset);
    const name = key.text ?? '';
    const before = entries.find((entry) => entry.key === name);
    if (before) refuse(line, `${name} stands in line ${before.line} already. Remove one of the two.`);
    if (events[at]?.type !== EVENT_ID.SEQUENCE) {
      entries.push({ key: name, value: scalar()!.text, line });
      continue;
    }
    at += 1;
    const values: string[] = [];
    for (let value = scalar(); value !== null; value = scalar()) values.push(value.text ?? '');
    entries.push({ key: name, value: values, line });
  }
  at += 1;
  if (at < events.length) refuse(lineAt(text.length), 'there is a second document (---). Keep one.');
  return entries;
}
