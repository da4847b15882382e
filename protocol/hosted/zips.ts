import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Literals, Name } from '../schema.ts';
import { PackageParams } from './packages.ts';

/** Zips of a choice: contract/zips.md §5. */

/** Files that follow each other in the list of files. */
export const FileRange = Type.Object(
  {
    first: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Position in the list of files, from 0.',
      examples: [0],
    }),
    last: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Included.', examples: [4] }),
  },
  { title: 'FileRange' },
);
export type FileRange = Static<typeof FileRange>;

export const CreateZip = Type.Object({
  kind: Literals(['zip_windows', 'zip_mac']),
  ranges: Type.Array(FileRange, {
    minItems: 1,
    maxItems: limits.rangesPerZip,
    description: 'Which records of the list of files, by their positions there: ascending, and without overlap.',
  }),
  name: Type.Optional({
    ...Name,
    maxLength: 120,
    description: "Of the zip, without its ending; the package's where it is left out.",
    examples: ['camera-a'],
  }),
  expiry: Type.Optional(DateTime),
});
export type CreateZip = Static<typeof CreateZip>;

export const zipRoutes = defineRoutes({
  createZip: {
    method: 'POST',
    path: '/v1/packages/{package_id}/zips',
    summary:
      'Returns the address of a zip of chosen files and folders. It stands for an hour unless `expiry` asks otherwise, and each request looks at the link again.',
    tag: 'Files',
    credentials: ['package:read'],
    params: PackageParams,
    body: CreateZip,
    reply: {
      status: 200,
      body: Type.Object({
        method: Literals(['GET']),
        url: Type.String({ examples: ['https://share.example.com/zips/Dailies.zip?token=…'] }),
        files: Type.Integer({ minimum: 0, description: 'Files in it, without folders.', examples: [5] }),
        bytes: { ...Bytes, description: 'Of these files. The zip is a little larger.' },
      }),
    },
    errors: [
      'not_found',
      'not_allowed',
      'over_limit',
      'state_conflict',
      'package_expired',
      'link_expired',
      'link_inactive',
      'package_quarantined',
      'file_infected',
      'zip_damaged',
      'link_used_up',
    ],
    example: { kind: 'zip_windows', ranges: [{ first: 0, last: 4 }], name: 'camera-a' },
  },
});
