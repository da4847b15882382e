import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Name } from '../schema.ts';
import { TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Tags sort packages and Portals: contract/tags.md §1. */

export const Tag = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Season 2'] }),
    team_id: Id,
    active: Type.Boolean({ examples: [true] }),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'Tag' },
);
export type Tag = Static<typeof Tag>;

const common = { tag: 'Tags', credentials: teamCredentials } as const;

export const tagRoutes = defineRoutes({
  createTag: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/tags',
    summary: 'Makes a tag.',
    params: TeamParams,
    body: Type.Object({ name: Name }),
    reply: { status: 201, body: Tag },
    errors: [...teamErrors, 'already_exists', 'over_limit'],
    example: { name: 'Season 2' },
  },
  listTags: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/tags',
    summary: 'Lists the tags of a Team.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(Tag) },
    errors: teamErrors,
  },
  updateTag: {
    ...common,
    method: 'PUT',
    path: '/v1/tags/{tag_id}',
    summary: 'Renames a tag, wherever it stands.',
    params: Type.Object({ tag_id: Id }),
    body: Type.Object({ name: Name }),
    reply: { status: 200, body: Tag },
    errors: [...teamErrors, 'already_exists'],
    example: { name: 'Season 3' },
  },
  deleteTag: {
    ...common,
    method: 'DELETE',
    path: '/v1/tags/{tag_id}',
    summary: 'Deletes a tag. Packages and Portals that had it stay.',
    params: Type.Object({ tag_id: Id }),
    reply: { status: 204 },
    errors: teamErrors,
  },
});
