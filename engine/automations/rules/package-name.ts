import { limits } from '#protocol/limits.ts';
import { isBlank, nameFrom } from '#protocol/names.ts';

/** What a package's name can be made of. */
export interface PackageNameParts {
  /** Of the entry: the file, the folder, or for a batch the watched folder. */
  readonly name: string;
  /** The folder that the entry lies in. */
  readonly folder: string;
  /** Which package of its automation it is, from 1. */
  readonly counter: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** By default this machine's. */
  readonly timeZone?: string | undefined;
}

const placeholders = ['name', 'date', 'time', 'folder', 'counter'] as const;
type Placeholder = (typeof placeholders)[number];

const placeholder = /\{([^{}]*)\}/g;

/** Why a template is refused at creation, as a sentence; null if it can be used. */
export function packageNameFault(template: string): string | null {
  for (const [whole, name] of template.matchAll(placeholder)) {
    if (!isPlaceholder(name!)) return `${whole} stands for nothing. Use ${placeholders.map((one) => `{${one}}`).join(', ')}.`;
  }
  return isBlank(template) ? 'it is empty.' : null;
}

/**
 * A package's name by its automation's template: contract/agent.md §10. Never longer than a name may be, and without
 * characters that no name may hold. Without a template it is the entry's name. A time is written `14-05-09`, since a
 * folder that is named after the package cannot hold a colon on every system.
 */
export function packageName(template: string | undefined, { name, folder, counter, at, timeZone }: PackageNameParts): string {
  const { date, time } = wallClock(at, timeZone);
  const values: Readonly<Record<Placeholder, string>> = { name, folder, counter: String(counter), date, time };
  const filled = (template ?? '{name}').replace(placeholder, (whole, key: string) => (isPlaceholder(key) ? values[key] : whole));
  return nameFrom(cut(filled.toWellFormed().trim(), limits.nameLength), date);
}

const isPlaceholder = (text: string): text is Placeholder => (placeholders as readonly string[]).includes(text);

function wallClock(at: number, timeZone: string | undefined): { readonly date: string; readonly time: string } {
  const format = new Intl.DateTimeFormat('en-US', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(timeZone !== undefined && { timeZone }),
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type as string, value]));
  const of = (...types: readonly string[]) => types.map((type) => parts.get(type) ?? '').join('-');
  return { date: of('year', 'month', 'day'), time: of('hour', 'minute', 'second') };
}

/** Cuts between characters, never within one that takes two units. */
function cut(text: string, length: number): string {
  const short = text.slice(0, length);
  return (short.isWellFormed() ? short : short.slice(0, -1)).trimEnd();
}
