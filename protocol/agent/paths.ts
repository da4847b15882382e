import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Literals } from '../schema.ts';
import { LocalPath } from './transfers.ts';

/** What helps a person to choose what to send: contract/agent.md §13. */

const Count = Type.Integer({ minimum: 0, examples: [12] });

export const StartFolder = Type.Object(
  {
    path: Type.String({ examples: ['/media/A001'] }),
    kind: Literals(['home', 'volume', 'recent', 'allowed'], {
      description:
        '`volume`: a mounted drive or card. `recent`: a folder of the last transfers. `allowed`: another of the allowed folders.',
    }),
    allowed: Type.Boolean({ description: 'Whether `GET /api/v1/folders` lists it.' }),
    free_bytes: Type.Optional({ ...Bytes, description: 'Of a volume: room for more.' }),
  },
  { title: 'StartFolder' },
);
export type StartFolder = Static<typeof StartFolder>;

export const MeasurePaths = Type.Object({ paths: Type.Array(LocalPath, { minItems: 1, maxItems: 1_000 }) });

export const MeasuredPath = Type.Object({
  path: Type.String({ examples: ['/media/A001'] }),
  kind: Literals(['file', 'directory', 'none'], { description: '`none`: it cannot be sent, and `error` says why.' }),
  files: Count,
  bytes: Bytes,
  error: Type.Union([Type.Object({ code: Type.Integer(), message: Type.String() }), Type.Null()]),
});

export const PathsMeasure = Type.Object(
  {
    paths: Type.Array(MeasuredPath),
    files: Count,
    bytes: Bytes,
    unreadable: Type.Integer({ minimum: 0, description: 'Entries below these paths that could not be read.', examples: [0] }),
    complete: Type.Boolean({ description: 'Whether all was counted; else there is more than is told.', examples: [true] }),
    seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'How long sending it takes at the speed of the last uploads; `null` where none tells.',
      examples: [840],
    }),
  },
  { title: 'PathsMeasure' },
);
export type PathsMeasure = Static<typeof PathsMeasure>;

const DroppedFile = {
  name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
  size: Bytes,
  last_modified: DateTime,
};

/** At most this many entries are looked for at once. */
const maxDropped = 1_000;

export const DroppedEntry = Type.Union([
  Type.Object({ kind: Literals(['file']), ...DroppedFile }),
  Type.Object({
    kind: Literals(['directory']),
    name: DroppedFile.name,
    files: Type.Array(Type.Object({ path: Type.String({ minLength: 1, maxLength: limits.pathLength }), size: Bytes }), {
      maxItems: 20,
      description: 'Some of the files in it, by their paths inside, by which it is known.',
    }),
  }),
]);
export type DroppedEntry = Static<typeof DroppedEntry>;

export const FindDropped = Type.Object({ entries: Type.Array(DroppedEntry, { minItems: 1, maxItems: maxDropped }) });

export const FoundDropped = Type.Object(
  {
    paths: Type.Array(Type.Union([Type.String(), Type.Null()]), {
      description: 'For each entry where it lies; `null` where it was not found.',
      examples: [['/media/A001', null]],
    }),
    complete: Type.Boolean({ description: 'Whether all of the allowed folders was looked through.', examples: [true] }),
  },
  { title: 'FoundDropped' },
);
export type FoundDropped = Static<typeof FoundDropped>;

const common = { tag: 'Folders', credentials: ['none'] } as const;

export const pathRoutes = defineRoutes({
  listPlaces: {
    ...common,
    method: 'GET',
    path: '/api/v1/folders/places',
    summary: 'Where on this machine one would look for files: home, mounted drives and cards, folders of the last transfers, allowed ones.',
    reply: { status: 200, body: Type.Array(StartFolder) },
  },
  measurePaths: {
    ...common,
    method: 'POST',
    path: '/api/v1/folders/measure',
    summary:
      'Says of paths whether they are there, and how many files and bytes they hold. Counts for a few seconds at most, and no longer than the caller waits.',
    body: MeasurePaths,
    reply: { status: 200, body: PathsMeasure },
    errors: ['path_outside'],
    example: { paths: ['/media/A001'] },
  },
  findDropped: {
    ...common,
    method: 'POST',
    path: '/api/v1/folders/find',
    summary:
      'Looks in the allowed folders for files and folders that a browser was given, of which it tells names, sizes and times, but no paths.',
    body: FindDropped,
    reply: { status: 200, body: FoundDropped },
    example: { entries: [{ kind: 'file', name: 'A001C001.mov', size: 2_400_000_000, last_modified: '2026-11-19T17:40:00.000Z' }] },
  },
});
