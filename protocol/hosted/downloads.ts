import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime, Id } from '../schema.ts';
import { PackageParams } from './packages.ts';

/** Downloads of a package, and mailing its links again: contract/links.md §6, §7. */

export const Download = Type.Object(
  {
    id: Id,
    link_id: Id,
    email: Type.String({ description: 'Whom the link is for; empty for nobody in particular.' }),
    user_agent: Type.String({ description: 'As the program calls itself.', examples: ['Mozilla/5.0 (X11; Linux x86_64) Chrome/140'] }),
    address: Type.String({ description: 'Where it was started from.', examples: ['203.0.113.7'] }),
    started_at: DateTime,
    verified: Type.Optional(
      Type.Boolean({ description: 'It was proved with a mailed code that the address in `email` is theirs.', examples: [false] }),
    ),
    what: Type.Optional(
      Type.Object(
        {
          whole: Type.Boolean({ description: 'Everything as one zip.', examples: [false] }),
          files: Type.Integer({ minimum: 0, description: 'Single files, and those of a zip of some.', examples: [2] }),
          more: Type.Boolean({ description: 'There were more than these.', examples: [false] }),
          names: Type.Array(Type.String(), {
            description: 'The first of them, with their folders, while the package has them.',
            examples: [['A001/A001C001.mov', 'notes.txt']],
          }),
        },
        { title: 'Downloaded', description: 'What was asked for; unset for downloads of earlier versions.' },
      ),
    ),
  },
  { title: 'Download' },
);
export type Download = Static<typeof Download>;

export const downloadRoutes = defineRoutes({
  listDownloads: {
    method: 'GET',
    path: '/v1/packages/{package_id}/downloads',
    summary: 'Who started a download of the package by its links, and when: the latest first.',
    tag: 'Links',
    credentials: ['package:manage'],
    params: PackageParams,
    query: Type.Object({
      before: Type.Optional({ ...Id, description: 'Only those before this one: the last of the page before.' }),
      limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
    }),
    reply: {
      status: 200,
      body: Type.Object({
        records: Type.Array(Download),
        by_link: Type.Optional(
          Type.Array(Type.Object({ link_id: Id, downloads: Type.Integer({ minimum: 1, examples: [3] }) }), {
            description: 'Of the first page: how many each link has had. Links without any are left out.',
          }),
        ),
      }),
    },
    errors: ['not_found', 'not_allowed', 'team_inactive'],
  },
  mailLink: {
    method: 'POST',
    path: '/v1/packages/{package_id}/links/{link_id}/mail',
    summary: 'Mails a link to whom it is for, also if it was mailed before: once a minute at most.',
    tag: 'Links',
    credentials: ['package:manage'],
    params: Type.Object({ package_id: Id, link_id: Id }),
    reply: { status: 202, body: Type.Object({}) },
    errors: ['not_found', 'not_allowed', 'team_inactive', 'state_conflict', 'package_expired', 'link_inactive', 'rate_limited'],
  },
});
