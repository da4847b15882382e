import { type Static, Type } from 'typebox';
import { Bytes, DateTime, Id, Literals } from '../schema.ts';
import { PackageState } from './packages.ts';
import { CloudTransfer } from './transfers.ts';

/** Events of `GET /v1/packages/{package_id}/events` and of the MQTT broker (docs/decisions/0015). */

const Count = Type.Integer({ minimum: 0, examples: [3] });

/** Files that one event lists by name; for more it has only their number. */
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

const TransferProgress = Type.Pick(CloudTransfer, ['id', 'direction', 'state', 'progress'], { title: 'TransferProgress' });

export const PackageEvent = Type.Object(
  {
    type: Literals(['state', 'progress', 'finalized', 'expired'], {
      description:
        '`state`: how the package stands, the first of every stream, also after a broken connection. `progress`: files changed. `finalized`, `expired`: the package is that now; after `expired` the stream ends.',
    }),
    at: DateTime,
    package_id: Id,
    state: PackageState,
    files: Type.Object({ total: Count, finalized: Count }, { description: 'Without folders.' }),
    bytes: Type.Object({ total: Bytes, finalized: Bytes }, { description: '`total`: of those files whose size is known.' }),
    transfers: Type.Optional(
      Type.Array(TransferProgress, { description: 'Transfers of the package, for a management token; absent without any.' }),
    ),
    changes: Type.Array(FileChange, { maxItems: namedChanges, description: 'Files that changed since the message before.' }),
    unnamed_changes: Type.Integer({
      minimum: 0,
      description: 'Further files that changed since the event before. List the files to see which.',
    }),
  },
  { title: 'PackageEvent' },
);
export type PackageEvent = Static<typeof PackageEvent>;
