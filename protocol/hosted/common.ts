import { Type } from 'typebox';
import { limits } from '../limits.ts';
import { Cursor, DateTime, Id } from '../schema.ts';

/** Shared by most endpoints of a Team. */

export const TeamParams = Type.Object({ team_id: Id });

/** Credentials of the calls that accept `X-API-KEY`; a user token is accepted there too (contract/conventions.md §9.1). */
export const teamCredentials = ['api_key', 'user'] as const;

/** Errors that a Team's credential can get on any of these calls. */
export const teamErrors = ['not_found', 'not_allowed', 'key_suspended', 'team_inactive'] as const;

/** `page` and `limit` of a v1.1 list. Teamspaces count pages from 0, all others from 1 (contract/conventions.md §6.1). */
export function pageQuery(first: 0 | 1, most: number = limits.pageSize) {
  return {
    page: Type.Integer({ minimum: first, maximum: 1_000_000, default: first }),
    limit: Type.Integer({ minimum: 1, maximum: most, default: limits.pageSize }),
  };
}

/** How a list that goes on by keyset is read: from a page, or after the page before, and counted how far. */
export function keysetQuery(first: 0 | 1) {
  return {
    ...pageQuery(first),
    after: Type.Optional({ ...Cursor, description: '`next` of the page before, in place of `page`.' }),
    count_up_to: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Counts no further: `total` is at most this, and `at_least` says that there are more. Without it, all are counted.',
      }),
    ),
  };
}

/** The values of `sort`: each field ascending, and with `-` descending. */
export function sorts<const F extends readonly string[]>(fields: F): readonly (F[number] | `-${F[number]}`)[] {
  return [...fields, ...fields.map((field): `-${F[number]}` => `-${field as F[number]}`)];
}

/** In an update: refuses to overwrite what somebody else has changed (409 `state_conflict`). */
export const ExpectedUpdatedAt = Type.Optional({
  ...DateTime,
  description: 'The `updated_at` of what was read. Where it has changed since, nothing is changed.',
});
