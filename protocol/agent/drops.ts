import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Id } from '../schema.ts';

/** Files and folders that a browser sends to its agent, because the agent cannot read them itself: contract/agent.md §13.1. */

/** A path inside the drop, with `/`. */
const DroppedPath = Type.String({ minLength: 1, maxLength: limits.pathLength, examples: ['A001/clips/A001C001.mov'] });

export const CreateDrop = Type.Object({
  bytes: { ...Bytes, description: 'Of all files together. So much room is kept for them.' },
  folders: Type.Optional(
    Type.Array(DroppedPath, { maxItems: 10_000, description: 'Empty folders. Those of files are made with the files.' }),
  ),
});
export type CreateDrop = Static<typeof CreateDrop>;

export const Drop = Type.Object(
  {
    id: Id,
    path: Type.String({
      description: 'The folder on the agent’s machine that receives them. What lies in it can be sent like any other path.',
      examples: ['/var/lib/longshore/drops/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/files'],
    }),
    bytes: Bytes,
  },
  { title: 'Drop' },
);
export type Drop = Static<typeof Drop>;

export const DroppedFileState = Type.Object(
  { bytes: { ...Bytes, description: 'So many are here: the offset to go on at.' }, whole: Type.Boolean() },
  { title: 'DroppedFileState' },
);
export type DroppedFileState = Static<typeof DroppedFileState>;

export const DroppedSlice = Type.Object({
  path: DroppedPath,
  size: { ...Bytes, description: 'Of the whole file.' },
  offset: { ...Bytes, description: 'Where these bytes begin; as many as are here already.' },
  last_modified: Type.Optional(DateTime),
});
export type DroppedSlice = Static<typeof DroppedSlice>;

const common = { tag: 'Folders', credentials: ['none'] } as const;
const one = Type.Object({ id: Id });

export const dropRoutes = defineRoutes({
  createDrop: {
    ...common,
    method: 'POST',
    path: '/api/v1/drops',
    summary: 'Keeps room for files and folders that a browser sends to the agent, for an upload of them.',
    body: CreateDrop,
    reply: { status: 201, body: Drop },
    errors: ['drop_no_room', 'name_refused'],
    example: { bytes: 2_400_000_000, folders: [] },
  },
  getDroppedFile: {
    ...common,
    method: 'GET',
    path: '/api/v1/drops/{id}/files',
    summary: 'Says how much of a file is here, to go on after a lost connection.',
    params: one,
    query: Type.Object({ path: DroppedPath }),
    reply: { status: 200, body: DroppedFileState },
    errors: ['not_found', 'name_refused'],
  },
  putDroppedFile: {
    ...common,
    method: 'PUT',
    path: '/api/v1/drops/{id}/files',
    summary: 'Adds the next bytes of a file. What came of a broken request is kept.',
    params: one,
    query: DroppedSlice,
    bytes: true,
    reply: { status: 200, body: DroppedFileState },
    errors: ['not_found', 'name_refused', 'transfer_conflict', 'drop_no_room'],
  },
  deleteDrop: {
    ...common,
    method: 'DELETE',
    path: '/api/v1/drops/{id}',
    summary: 'Deletes what a browser has sent and no upload uses.',
    params: one,
    reply: { status: 204 },
    errors: ['not_found', 'transfer_conflict'],
  },
});
