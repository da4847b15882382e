import { readFileSync } from 'node:fs';
import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { exitCodes } from '../cli/exit-codes.ts';
import { CommandError } from '../cli/failure.ts';

/** One key of a configuration file with its value, not yet validated. */
export interface Entry {
  readonly key: string;
  /** The values of a list, or the single value; null for an empty value. */
  readonly value: string | readonly string[] | null;
  readonly line: number;
}

/** Larger than any real configuration. A file given by mistake could have any size. */
const mostBytes = 1_000_000;

/**
 * Reads a YAML file with lines `key: value`. Values are texts or lists of texts.
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
  /** The next scalar; null at the end of its list or mapping. */
  const scalar = (): { text: string | null; offset: number } | null => {
    const event = events[at++]!;
    if (event.type === EVENT_ID.POP) return null;
    if (event.type === EVENT_ID.ALIAS) return flat(event.anchorStart);
    if (event.type !== EVENT_ID.SCALAR) return flat('start' in event ? event.start : 0);
    const value = event.valueStart < 0 ? '' : getScalarValue(text, event);
    const nothing = event.style === SCALAR_STYLE.PLAIN && /^(?:|~|null)$/i.test(value);
    return { text: nothing ? null : value, offset: event.valueStart };
  };
  // A file with only comments has no document, or an empty one.
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
