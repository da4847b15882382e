/** Whether a migration can be done while millions of rows are in use (docs/decisions/0100). Reads its SQL as text. */

interface Rule {
  /** Named `table`: which it is about. */
  readonly statement: RegExp;
  readonly why: string;
}

const table = '(?:only\\s+)?(?:if exists\\s+)?"?(?<table>\\w+)"?';
const altered = (change: string): RegExp =>
  new RegExp(`\\balter table\\s+${table}(?:(?!;|\\balter table\\b|\\bcreate\\b).)*?\\b${change}`, 'gis');

const rules: readonly Rule[] = [
  {
    statement: altered('alter(?: column)?\\s+\\w+\\s+(?:set data )?type\\b'),
    why: 'another type writes all rows anew, and nobody reads or writes meanwhile',
  },
  {
    statement: altered(
      'add column\\s+(?:if not exists\\s+)?\\w+[^,]*?\\bdefault\\s+(?:now|clock_timestamp|random|gen_random_uuid|uuidv7|nextval)\\s*\\(',
    ),
    why: 'a default that differs by row writes all rows anew',
  },
  {
    statement: altered('add column\\s+(?:if not exists\\s+)?\\w+[^,]*?\\bgenerated always as\\b[^,;]*?\\bstored'),
    why: 'a stored column writes all rows anew',
  },
  { statement: altered('set not null\\b'), why: 'all rows are read under an exclusive lock' },
  {
    statement: altered('add (?:constraint\\s+\\w+\\s+)?(?:check|foreign key|unique|primary key|exclude)\\b(?![^;]*\\bnot valid\\b)'),
    why: 'all rows are read under a lock; add it `not valid`, and validate it later',
  },
  {
    statement: altered('drop (?:column|constraint)\\b(?!\\s+if exists\\s+\\w+_check\\b)'),
    why: 'nodes of the version before still use it',
  },
  { statement: altered('rename\\b'), why: 'nodes of the version before know the old name' },
  {
    statement: new RegExp(`\\bcreate (?:unique )?index\\s+(?!concurrently)(?:if not exists\\s+)?\\w*\\s*\\bon\\s+${table}`, 'gi'),
    why: 'nobody writes while an index is made',
  },
  {
    statement: new RegExp(`(?<!for )(?<!do )\\bupdate\\s+${table}\\s+(?:as\\s+\\w+\\s+)?set\\b`, 'gi'),
    why: 'all rows at once: rows stay locked until the end; do it in a job, some at a time',
  },
  { statement: new RegExp(`\\bdelete from\\s+${table}`, 'gi'), why: 'all rows at once; do it in a job, some at a time' },
  { statement: new RegExp(`\\b(?:lock table|cluster|vacuum full|truncate(?: table)?)\\s+${table}`, 'gi'), why: 'it holds the whole table' },
  { statement: new RegExp(`\\bdrop table\\s+${table}`, 'gi'), why: 'nodes of the version before still use it' },
];

/** What is wrong with it, as sentences; tables that it makes itself are empty, and may have anything. */
export function migrationFaults(source: string): string[] {
  const text = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|--.*$/gm, '');
  const made = new Set(
    [...text.matchAll(/\bcreate (?:unlogged )?table\s+(?:if not exists\s+)?"?(\w+)"?/gi)].map(([, name]) => name!.toLowerCase()),
  );
  return rules.flatMap(({ statement, why }) =>
    [...text.matchAll(statement)].flatMap((found) => {
      const name = found.groups!['table']!.toLowerCase();
      return made.has(name) ? [] : [`${name}: ${why} (${found[0].replaceAll(/\s+/g, ' ').slice(0, 120)})`];
    }),
  );
}
