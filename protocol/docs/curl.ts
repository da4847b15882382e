import { credentialSpecs } from '../credentials.ts';
import { exampleOf } from '../example.ts';
import { asJsonSchema } from '../json-schema.ts';
import type { CredentialKind, Route } from '../route.ts';

/**
 * A command line that makes the call, for a POSIX shell: ids and secrets are shell variables, the body is the route's
 * example.
 */
export function curlLine(route: Route, serverUrl: string): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const parts = [`curl${route.method === 'GET' ? '' : ` -X ${route.method}`} "${serverUrl}${path}${query(route)}"`];
  const kind = route.credentials[0] ?? 'none';
  const { header } = credentialSpecs[kind];
  if (header !== null && !route.credentials.includes('none')) parts.push(`-H "${header}: $${variable(kind)}"`);
  if (route.body) {
    parts.push(`-H 'Content-Type: application/json'`);
    parts.push(`-d '${bodyText(route).replaceAll("'", `'\\''`)}'`);
  }
  if ('stream' in route.reply && route.reply.stream === 'text/event-stream') parts.splice(1, 0, '-N');
  return parts.join(' \\\n  ');
}

/** On one line if it is short enough to read. */
function bodyText(route: Route): string {
  const value = route.example ?? (route.body && exampleOf(asJsonSchema(route.body)));
  const line = JSON.stringify(value);
  return line.length <= 60 ? line : JSON.stringify(value, null, 2);
}

function variable(kind: CredentialKind): string {
  const { header } = credentialSpecs[kind];
  return (header ?? '').replace(/^X-/, '').replaceAll('-', '_').toUpperCase();
}

/** Required parameters only. */
function query(route: Route): string {
  if (!route.query) return '';
  const { properties = {}, required = [] } = asJsonSchema(route.query);
  const pairs = required
    .filter((name) => !('default' in (properties[name] ?? {})))
    .map((name) => {
      const schema = properties[name] ?? {};
      const value = schema.type === 'integer' ? String(exampleOf(schema, name)) : `$${name.toUpperCase()}`;
      return `${name}=${value}`;
    });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
