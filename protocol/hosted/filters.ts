import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { DateTime, Id, Literals, Name } from '../schema.ts';
import { ExpectedUpdatedAt, TeamParams, teamCredentials, teamErrors } from './common.ts';

/** Filters select the files that a connection gets: contract/filters.md §1. */

export const FilterRule = Type.Object(
  {
    action: Literals(['include', 'exclude']),
    criterion: Literals(['file_name'], { description: 'Each criterion once in a filter.' }),
    operator: Literals(['regex_match']),
    values: Type.Array(Type.String({ minLength: 1, maxLength: limits.filterPatternLength, examples: ['\\.(mov|mxf)$'] }), {
      minItems: 1,
      maxItems: limits.valuesPerRule,
      description: 'Regular expressions (RE2); one that matches is enough.',
    }),
  },
  { title: 'FilterRule', description: 'Reads: action files where criterion operator values. All rules of a filter must hold.' },
);
export type FilterRule = Static<typeof FilterRule>;

export const Filter = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Camera originals only'] }),
    rules: Type.Array(FilterRule),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'Filter' },
);
export type Filter = Static<typeof Filter>;

const ListedFilter = Type.Object(
  { ...Filter.properties, portals: Type.Integer({ minimum: 0, description: 'The number of Portals that use it.' }) },
  { title: 'ListedFilter' },
);

const Rules = Type.Array(FilterRule, { minItems: 1, maxItems: limits.rulesPerFilter });
const FilterParams = Type.Object({ filter_id: Id });
const common = { tag: 'Filters', credentials: teamCredentials, errors: teamErrors } as const;
const exampleRules = [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['\\.(mov|mxf)$'] }];

export const filterRoutes = defineRoutes({
  createFilter: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/filters',
    summary: 'Makes a filter. Attach it to a connection of a Portal by `filter_id`.',
    params: TeamParams,
    body: Type.Object({ name: Name, rules: Rules }),
    reply: { status: 201, body: Filter },
    errors: [...teamErrors, 'over_limit'],
    example: { name: 'Camera originals only', rules: exampleRules },
  },
  listFilters: {
    ...common,
    method: 'GET',
    path: '/v1/teams/{team_id}/filters',
    summary: 'Lists the filters of a Team by name, with the number of Portals that use each.',
    params: TeamParams,
    reply: { status: 200, body: Type.Array(ListedFilter) },
  },
  testFilter: {
    ...common,
    method: 'POST',
    path: '/v1/teams/{team_id}/filters/test',
    summary: 'Tells which of these files a filter with these rules would let through. Nothing is saved.',
    params: TeamParams,
    body: Type.Object({
      rules: Rules,
      names: Type.Array(
        Type.String({ minLength: 1, maxLength: limits.pathLength, description: 'A name or a path, of which the name counts.' }),
        {
          maxItems: limits.filterTestNames,
        },
      ),
    }),
    reply: {
      status: 200,
      body: Type.Object({ records: Type.Array(Type.Object({ name: Type.String(), goes: Type.Boolean() })) }),
    },
    example: { rules: exampleRules, names: ['A001C001.mov', 'notes.txt'] },
  },
  getFilter: {
    ...common,
    method: 'GET',
    path: '/v1/filters/{filter_id}',
    summary: 'Reads a filter with its rules.',
    params: FilterParams,
    reply: { status: 200, body: Filter },
  },
  updateFilter: {
    ...common,
    method: 'PUT',
    path: '/v1/filters/{filter_id}',
    summary: 'Changes a filter. The rules sent replace all it had.',
    params: FilterParams,
    body: Type.Object({ name: Type.Optional(Name), rules: Rules, expected_updated_at: ExpectedUpdatedAt }),
    reply: { status: 200, body: Filter },
    errors: [...teamErrors, 'state_conflict'],
    example: { rules: exampleRules },
  },
  deleteFilter: {
    ...common,
    method: 'DELETE',
    path: '/v1/filters/{filter_id}',
    summary: 'Deletes a filter that no Portal uses any more.',
    params: FilterParams,
    reply: { status: 204 },
    errors: [...teamErrors, 'state_conflict'],
  },
});
