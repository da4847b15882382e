import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Literals } from '../schema.ts';

/** Lets a browser choose folders and files of the agent's machine, inside the allowed folders: docs/decisions/0027. */

/** An absolute path; empty or missing: the first allowed folder. */
const Path = Type.String({ maxLength: 32_767, description: 'Absolute. Left out: the first of the allowed folders.', examples: ['/media'] });

export const FolderQuery = Type.Object({
  path: Type.Optional(Path),
  hidden: Type.Boolean({ default: false, description: 'Whether names that begin with a dot are listed too.' }),
  limit: Type.Integer({ minimum: 1, maximum: 5_000, default: 1_000 }),
});
export type FolderQuery = Static<typeof FolderQuery>;

export const FolderEntry = Type.Object({
  name: Type.String({ examples: ['A001'] }),
  kind: Literals(['directory', 'file']),
  size: { ...Bytes, description: 'In bytes; 0 for folders.' },
  last_modified: DateTime,
});
export type FolderEntry = Static<typeof FolderEntry>;

export const FolderListing = Type.Object(
  {
    path: Type.String({ description: 'The real path of the folder; empty where no allowed folder is there.', examples: ['/media'] }),
    parent: Type.Union([Type.String(), Type.Null()], { description: 'The folder above it; `null` where that is not allowed.' }),
    roots: Type.Array(Type.String(), {
      description: 'The allowed folders that are there, as real paths.',
      examples: [['/home/mia', '/media']],
    }),
    entries: Type.Array(FolderEntry, {
      description: 'Folders first, by name. Links appear as what they lead to; those that lead out of the allowed folders are left out.',
    }),
    truncated: Type.Boolean({ description: 'Whether there is more than is listed.' }),
  },
  { title: 'Folder' },
);
export type FolderListing = Static<typeof FolderListing>;

export const folderRoutes = defineRoutes({
  listFolder: {
    method: 'GET',
    path: '/api/v1/folders',
    summary: "Lists a folder of the agent's machine, for choosing paths. Real paths inside the setting `allowed_roots` only.",
    tag: 'Folders',
    credentials: ['none'],
    query: FolderQuery,
    reply: { status: 200, body: FolderListing },
    errors: ['path_outside', 'path_not_absolute', 'path_not_found', 'path_unreadable'],
  },
});
