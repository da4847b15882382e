import { type Static, Type } from 'typebox';
import type { DocTable } from '../route.ts';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { PackageState } from './packages.ts';

/** What `GET /v1/packages/{package_id}/events` and the MQTT broker tell (docs/decisions/0015). */

const Count = Type.Integer({ minimum: 0, examples: [3] });

/** Files that one event names; of more it says how many. */
export const namedChanges = 100;

export const FileChange = Type.Object(
  {
    change: Literals(['created', 'finalized', 'deleted'], { description: 'What became of it last, since the event before.' }),
    id: Id,
    path: Type.Optional(Type.String()),
    name: Type.Optional(Type.String({ description: 'Absent once the file is deleted.' })),
    size: Type.Optional(Bytes),
  },
  { title: 'FileChange' },
);
export type FileChange = Static<typeof FileChange>;

export const PackageEvent = Type.Object(
  {
    type: Literals(['state', 'progress', 'finalized', 'expired'], {
      description: '`state` opens every stream. `progress`: files changed. The others: the package is now that.',
    }),
    at: DateTime,
    package_id: Id,
    state: PackageState,
    files: Type.Object({ total: Count, finalized: Count }, { description: 'Without folders.' }),
    bytes: Type.Object({ total: Bytes, finalized: Bytes }, { description: '`total`: of those files whose size is known.' }),
    changes: Type.Array(FileChange, { maxItems: namedChanges }),
    unnamed_changes: Type.Integer({
      minimum: 0,
      description: 'Further files that changed since the event before. List the files to see which.',
    }),
  },
  { title: 'PackageEvent' },
);
export type PackageEvent = Static<typeof PackageEvent>;

/** For readers of the docs: a stream has no schema there. */
export const packageEventTable: DocTable = {
  title: 'Each message is one line `data: {…}`, a JSON object with these fields',
  columns: ['Field', 'What it says'],
  rows: [
    [
      '`type`',
      '`state`: how the package stands, the first of every stream, also after a broken connection. `progress`: files changed. `finalized`, `expired`: the package is that now; after `expired` the stream ends.',
    ],
    ['`at`, `package_id`, `state`', 'When, of which package, and its state.'],
    ['`files`, `bytes`', '`{ total, finalized }`, without folders; bytes of files whose size is not known yet are left out.'],
    [
      '`changes`',
      `Up to ${namedChanges} files that changed since the message before: \`{ change, id, path, name, size }\` with \`change\` \`created\`, \`finalized\` or \`deleted\`, whatever was last.`,
    ],
    ['`unnamed_changes`', 'How many more files changed. List the files to see which.'],
  ],
};
