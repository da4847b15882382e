import { readFileSync } from 'node:fs';

/** What permissions.md says: by the heading of each table, endpoint → column → cell. */
export type Table = ReadonlyMap<string, Readonly<Record<string, string>>>;

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The tables of the page, by the headings that they stand under. An endpoint twice in one table is a mistake. */
export function readTables(): ReadonlyMap<string, Table> {
  const tables = new Map<string, Map<string, Record<string, string>>>();
  let rows = new Map<string, Record<string, string>>();
  let columns: readonly string[] | null = null;
  for (const line of readFileSync(new URL('permissions.md', import.meta.url), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) {
      rows = new Map();
      columns = null;
      tables.set(heading, rows);
    }
    if (!line.startsWith('|') || /^\|[-|\s]+\|$/.test(line)) continue;
    const [endpoint, ...cells] = cellsOf(line);
    if (columns === null) {
      columns = cells;
      continue;
    }
    if (rows.has(endpoint!)) throw new Error(`${endpoint} stands twice in one table of permissions.md`);
    if (cells.length !== columns.length) throw new Error(`${endpoint} has ${cells.length} cells for ${columns.length} columns`);
    rows.set(endpoint!, Object.fromEntries(columns.map((column, index) => [column, cells[index]!] as const)));
  }
  return tables;
}
