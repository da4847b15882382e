import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agentApiInfo } from '#agent-api/docs.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { openApi } from '#protocol/openapi.ts';
import { hostedApiInfo } from '#service/http/api-info.ts';
import { readVersion } from '../version.ts';

/** `npm run openapi`: writes the descriptions of both APIs to `docs/openapi/`, where their changes can be reviewed. */

/** The folder of the descriptions. */
export const openApiFolder = fileURLToPath(new URL('../../docs/openapi/', import.meta.url));

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Both descriptions as texts, by file name. The output is deterministic: it does not depend on the order in the tables.
 */
export function openApiDocuments(version = readVersion()): Readonly<Record<'service.json' | 'agent.json', string>> {
  return {
    'service.json': textOf(openApi(hostedRoutes, hostedApiInfo({ version, serverUrl: 'https://files.example.com' }))),
    'agent.json': textOf(openApi(agentRoutes, agentApiInfo({ version, serverUrl: 'http://127.0.0.1:8090' }))),
  };
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Fields keep the order of their declaration, which is best for readers; maps that are looked up by name are sorted.
 */
function textOf(description: Json): string {
  const { tags, paths, components, ...rest } = description as {
    readonly tags: readonly { readonly name: string }[];
    readonly paths: Readonly<Record<string, Json>>;
    readonly components: Readonly<Record<string, Json>>;
  };
  const sorted = {
    ...rest,
    tags: tags.toSorted((a, b) => inOrder(a.name, b.name)),
    paths: mapped(sortedBy(paths, inOrder), (item) => sortedBy(item, (a, b) => methods.indexOf(a) - methods.indexOf(b))),
    components: mapped(sortedBy(components, inOrder), (named) => sortedBy(named, inOrder)),
  };
  return `${JSON.stringify(sorted, null, 1)}\n`;
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const sortedBy = <T>(record: Readonly<Record<string, T>>, order: (a: string, b: string) => number): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => order(a, b)));

const mapped = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

if (import.meta.main) {
  makeDirs(openApiFolder);
  for (const [name, text] of Object.entries(openApiDocuments())) writeFileSync(`${openApiFolder}${name}`, text);
}
