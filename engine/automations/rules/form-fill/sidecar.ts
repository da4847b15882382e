import { parseXML } from '@aws-sdk/xml-builder';
import { CsvError, parse } from 'csv-parse/sync';

/** A value as a form takes it. */
export type SidecarValue = string | number | boolean | readonly string[];

/** A small file that says something about the one beside it. */
export interface Sidecar {
  /** Inside the watched folder. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

type Found = { readonly value: SidecarValue } | { readonly fault: string };

/** Rows of a table that are looked at. */
const mostRows = 10_000;

const formats = { json: inJson, csv: inCsv, xml: inXml } as const;

/** Whether a file, or what its pattern means, has one of the formats that are read. */
export const isReadableSidecar = (file: string): boolean => formatOf(file) !== null;

/**
 * The value under a key: contract/agent.md §10. In JSON and XML the key is names with dots between them, numbers being
 * positions in a list; of XML the root's name may be left out, and attributes count as children. In CSV it is the
 * heading of a column, of the row that has `name` in one of its cells, else of the first one; or, of a table with the
 * columns `name` and `value`, a name.
 *
 * @param name of the entry, for tables with a row for each file
 */
export function valueInSidecar({ path, bytes }: Sidecar, key: string, name: string): Found {
  const format = formatOf(path);
  if (format === null) return { fault: 'it is none of .json, .csv and .xml.' };
  try {
    return format(decoded(bytes), key, name);
  } catch (error) {
    // What a parser says of its input, and the depth at which it gives up.
    if (error instanceof CsvError || error instanceof SyntaxError || error instanceof RangeError || isXmlError(error)) {
      return { fault: `it cannot be read: ${(error as Error).message.replace(/\.$/, '')}.` };
    }
    throw error;
  }
}

function formatOf(path: string): ((text: string, key: string, name: string) => Found) | null {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(formats, ending) ? formats[ending as keyof typeof formats] : null;
}

/** Text as its byte order mark says, else as UTF-8, else as older Windows programs write it. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function inJson(text: string, key: string): Found {
  return taken(within(JSON.parse(text), key), key);
}

/** The XML parser throws plain errors. It takes no entities but XML's own five, and loads nothing. */
const isXmlError = (error: unknown): boolean => error instanceof Error && error.message.startsWith('@aws-sdk XML');

function inXml(text: string, key: string): Found {
  const document = parseXML(text) as Readonly<Record<string, unknown>>;
  const [root] = Object.values(document);
  const found = within(root, key) ?? within(document, key);
  // Text beside attributes or children.
  const value = isRecord(found) && Object.hasOwn(found, '#text') ? found['#text'] : found;
  return taken(typeof value === 'string' ? value.trim() : value, key);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is under a key; names that hold dots themselves are found too. */
function within(value: unknown, key: string): unknown {
  if (Array.isArray(value)) {
    const [position = '', ...rest] = key.split('.');
    const element: unknown = /^\d{1,9}$/.test(position) ? value[Number(position)] : undefined;
    return rest.length === 0 ? element : within(element, rest.join('.'));
  }
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, key)) return value[key];
  for (let dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
    const first = key.slice(0, dot);
    const found = Object.hasOwn(value, first) ? within(value[first], key.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function taken(value: unknown, key: string): Found {
  if (value === undefined || value === null || value === '') return { fault: `there is no value under ${key}.` };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return { value };
  if (Array.isArray(value) && value.every((one): one is string => typeof one === 'string')) return { value };
  return { fault: `what is under ${key} is no single value.` };
}

function inCsv(text: string, key: string, name: string): Found {
  const rows: string[][] = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    to: mostRows,
  });
  const [headings = [], ...lines] = rows;
  const column = (heading: string): number => headings.findIndex((one) => one.toLowerCase() === heading.toLowerCase());
  const at = column(key);
  if (at >= 0) {
    const line = lines.find((cells) => cells.some((cell) => cell !== '' && (cell === name || cell === stemOf(name)))) ?? lines[0];
    return taken(line?.[at], key);
  }
  const [names, values] = [column('name'), column('value')];
  if (names < 0 || values < 0) return { fault: `it has no column ${key}.` };
  const found = lines.filter((cells) => cells[names] === key).map((cells) => cells[values] ?? '');
  return taken(found.length > 1 ? found : found[0], key);
}

/** Spreadsheets put what is usual in their country between cells. */
function delimiterOf(text: string): string {
  const heading = text.split(/[\r\n]/, 1)[0]!;
  const count = (delimiter: string): number => heading.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** A name without its ending. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
