import { ApiError, allPermissions, resourceOf, type StoredObject, type World } from './world.ts';

const order = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** `storage.objects.list`. A token holds the name or prefix that ended the page before. */
export function listObjects(world: World, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const asked = query.get('maxResults') ?? '1000';
  if (!/^\d+$/.test(asked) || Number(asked) === 0) throw new ApiError(400, 'invalidParameter', 'Invalid value for maxResults.');
  const most = Math.min(Number(asked), 1000);
  const after = lastOf(query.get('pageToken'));
  const names = [...world.objects.keys()].filter((name) => name.startsWith(prefix)).sort(order);
  const shown = new Map<string, StoredObject | null>();
  for (const name of names) {
    const cut = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    if (cut === -1) shown.set(name, world.objects.get(name)!);
    else shown.set(name.slice(0, cut + delimiter.length), null);
  }
  const rest = [...shown].filter(([name]) => after === null || order(name, after) > 0);
  const page = rest.slice(0, most);
  const items = page.flatMap(([, object]) => (object ? [resourceOf(world, object)] : []));
  const prefixes = page.flatMap(([name, object]) => (object ? [] : [name]));
  return selected(
    {
      kind: 'storage#objects',
      ...(items.length > 0 && { items }),
      ...(prefixes.length > 0 && { prefixes }),
      ...(rest.length > most && { nextPageToken: Buffer.from(page.at(-1)![0]).toString('base64') }),
    },
    query.get('fields'),
  );
}

function lastOf(token: string | null): string | null {
  if (token === null) return null;
  const name = Buffer.from(token, 'base64').toString();
  if (Buffer.from(name).toString('base64') !== token) throw new ApiError(400, 'invalid', 'Invalid Value: pageToken');
  return name;
}

/** A partial response: `a,b(c,d)`. */
export function selected(record: Readonly<Record<string, unknown>>, fields: string | null): Readonly<Record<string, unknown>> {
  if (fields === null) return record;
  const result: Record<string, unknown> = {};
  for (const [, name, inner] of fields.matchAll(/([A-Za-z0-9]+)(?:\(([^)]*)\))?/g)) {
    const value = record[name!];
    if (value === undefined) continue;
    result[name!] = inner === undefined ? value : (value as Record<string, unknown>[]).map((one) => selected(one, inner));
  }
  return result;
}

export function testPermissions(world: World, asked: readonly string[]): Readonly<Record<string, unknown>> {
  if (asked.length === 0) throw new ApiError(400, 'required', 'Required');
  for (const one of asked) {
    if (!allPermissions.includes(one)) throw new ApiError(400, 'invalid', `Invalid permission: ${one}`);
  }
  const permissions = asked.filter((one) => world.account.permissions.has(one));
  return { kind: 'storage#testIamPermissionsResponse', ...(permissions.length > 0 && { permissions }) };
}

export function objectNamed(world: World, name: string): StoredObject {
  const object = world.objects.get(name);
  if (!object) throw new ApiError(404, 'notFound', `No such object: ${world.bucket}/${name}`);
  return object;
}

/** The bytes that a `Range` header asks for; null for all. */
export function rangeIn(header: string | undefined, size: number): { readonly start: number; readonly end: number } | null {
  const match = /^bytes=(\d+)-(\d+)$/.exec(header ?? '');
  if (!match) return null;
  const start = Number(match[1]);
  if (start >= size) throw new ApiError(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable');
  return { start, end: Math.min(Number(match[2]), size - 1) };
}
