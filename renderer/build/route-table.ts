import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import type { Route, RouteTable } from '../../protocol/route.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(`../../protocol/${path}`, import.meta.url));
const table = fileOf('agent/routes.ts');
const resources = [fileOf('agent/'), fileOf('hosted/')];

/**
 * Puts in place of the modules of both APIs what a page uses of them when it runs: constants, and of the agent's routes
 * method, path and kinds of body and reply. The schemas with their descriptions are for servers, docs and types; with TypeBox they
 * would be a third of what the page loads. A page that uses one does not build.
 */
export function routeTablePlugin(): Plugin {
  return {
    name: 'longshore-route-table',
    apply: 'build',
    enforce: 'pre',
    async load(id) {
      const path = id.split('?')[0]!;
      if (!resources.some((folder) => path.startsWith(folder))) return null;
      const exported = Object.entries((await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>);
      if (path === table) return exported.map(([name, routes]) => constant(name, slim(routes as RouteTable))).join('\n');
      // A module with functions is code of the page.
      if (exported.some(([, value]) => typeof value === 'function')) return null;
      return exported.flatMap(([name, value]) => (isConstant(value) ? [constant(name, value)] : [])).join('\n');
    },
  };
}

const constant = (name: string, value: unknown): string => `export const ${name} = ${JSON.stringify(value)};`;

const isPrimitive = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
const isConstant = (value: unknown): boolean => (Array.isArray(value) ? value.every(isPrimitive) : isPrimitive(value));

type SlimRoute = Pick<Route, 'method' | 'path' | 'bytes'> & { readonly reply: { readonly status: number; readonly stream?: string } };

function slim(routes: RouteTable): Readonly<Record<string, SlimRoute>> {
  return Object.fromEntries(
    Object.entries(routes).map(([name, { method, path, bytes, reply }]) => {
      const { status } = reply;
      return [name, { method, path, ...(bytes && { bytes }), reply: 'stream' in reply ? { status, stream: reply.stream } : { status } }];
    }),
  );
}
