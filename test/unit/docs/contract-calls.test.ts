import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import type { CredentialKind, Route } from '#protocol/route.ts';

/** Every call of both APIs stands in a table of `docs/contract`, with the credentials that it takes, and whether it is served. */

const folder = fileURLToPath(new URL('../../../docs/contract/', import.meta.url));

interface Row {
  readonly page: string;
  /** `POST /v1/auth` */
  readonly call: string;
  readonly cell: string;
}

const rows: readonly Row[] = readdirSync(folder).flatMap((page) =>
  [...readFileSync(`${folder}${page}`, 'utf8').matchAll(/^\| `([A-Z]+ \/[^`]*)` \| (.*) \|$/gm)].map(([, call, cell]) => ({
    page,
    call: call!,
    cell: cell!,
  })),
);

/** What a credential is called in the tables. */
const labels: Readonly<Record<string, readonly CredentialKind[]>> = {
  none: ['none'],
  'user token': ['user'],
  'API key': ['api_key'],
  'package token': ['package:write', 'package:read', 'package:manage'],
  'package token (management)': ['package:manage'],
  'package token (read)': ['package:read'],
  'package token (write, management)': ['package:write', 'package:manage'],
  'package token (management, read)': ['package:manage', 'package:read'],
  'transfer token': ['transfer'],
  'transfer token (report)': ['transfer:report'],
  'access code': ['access_code'],
  'link secret': ['link'],
  'gateway token': ['gateway'],
};

const credentialsIn = (cell: string): string[] =>
  cell
    .split(';')[0]!
    .split(/, (?![^(]*\))/)
    .flatMap((label): readonly string[] => labels[label] ?? [`“${label}” is no credential`])
    .toSorted();

const callOf = ({ method, path }: Route): string => `${method} ${path}`;
const served = (cell: string): boolean => !/not served yet/.test(cell);

describe('the calls of the service', () => {
  it.each(Object.entries<Route>(hostedRoutes))('%s stands on one page, with its credentials', (_, route) => {
    const found = rows.filter(({ call }) => call === callOf(route));
    expect(found, `docs/contract needs one row for \`${callOf(route)}\``).toHaveLength(1);
    const { page, cell } = found[0]!;
    expect(credentialsIn(cell), `${page}: ${callOf(route)}`).toEqual([...route.credentials].toSorted());
    expect(served(cell), `${page}: ${callOf(route)}`).toBe(true);
  });
});

/** An item of the agent stands under three collections, and in the table once. */
const ofOneCollection = (call: string): string => call.replace(/ \/api\/v1\/(?:uploads|downloads)\/\{id\}/, ' /api/v1/transfers/{id}');

describe('the calls of the agent', () => {
  it.each(Object.entries<Route>(agentRoutes))('%s stands in agent.md', (_, route) => {
    const names = [callOf(route), ofOneCollection(callOf(route))];
    const found = rows.filter(({ page, call }) => page === 'agent.md' && names.includes(call));
    expect(found, `docs/contract/agent.md needs a row for \`${names[1]}\``).toHaveLength(1);
    expect(served(found[0]!.cell), callOf(route)).toBe(true);
  });
});

it('no page has a call that is not there', () => {
  const calls = new Set([...Object.values<Route>(hostedRoutes), ...Object.values<Route>(agentRoutes)].map(callOf));
  const others = rows.filter(({ page, call }) => / \/(?:api\/)?v1/.test(call) && page !== 'README.md' && !calls.has(call));
  expect(others).toEqual([]);
});
