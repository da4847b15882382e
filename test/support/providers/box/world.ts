import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export interface BoxItem {
  readonly type: 'file' | 'folder';
  readonly id: string;
  readonly name: string;
  readonly parent: string;
  /** Of files. */
  version: string;
  bytes: Buffer;
  modified: string;
}

export interface UploadSession {
  readonly id: string;
  readonly folder: string;
  readonly name: string;
  /** The file that gets a new version. */
  readonly replaces: string | null;
  readonly size: number;
  readonly partSize: number;
  /** By offset. */
  readonly parts: Map<
    number,
    { readonly part_id: string; readonly offset: number; readonly size: number; readonly sha1: string; readonly bytes: Buffer }
  >;
  commits: number;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What goes wrong on purpose with one request. */
export type Fault =
  | { readonly kind: 'answer'; readonly status: number; readonly code: string; readonly headers?: Readonly<Record<string, string>> }
  /** Done, but the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' };

/** An error in Box's form. */
export class BoxApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly conflict: BoxItem | null;
  constructor(status: number, code: string, conflict: BoxItem | null = null) {
    super(code);
    this.status = status;
    this.code = code;
    this.conflict = conflict;
  }
}

/** Made once: it takes longer than most tests. */
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** An enterprise with one app, whose service account has everything in its root. */
export function createWorld() {
  const passphrase = 'a passphrase for tests';
  let lastId = 1000;
  const world = {
    clientId: 'box-client',
    clientSecret: randomBytes(16).toString('hex'),
    publicKeyId: 'kid12345',
    enterpriseId: '987654',
    passphrase,
    privateKeyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }) as string,
    publicKey: keys.publicKey as KeyObject | null,
    usedIds: new Set<string>(),
    /** Access tokens, and when they end in milliseconds. */
    tokens: new Map<string, number>(),
    items: new Map<string, BoxItem>([
      ['0', { type: 'folder', id: '0', name: 'All Files', parent: '', version: '', bytes: Buffer.alloc(0), modified: '' }],
    ]),
    sessions: new Map<string, UploadSession>(),
    downloads: new Map<string, Buffer>(),
    /** Milliseconds that Box's clock is ahead of ours. */
    clockOffset: 0,
    /** Bytes from which Box takes chunked uploads, and those of a part. */
    smallestSession: 2000,
    partSize: 1000,
    /** How often a commit is answered with 202. */
    waits: 2,
    fault: (_request: SeenRequest): Fault | undefined => undefined,
    requests: [] as SeenRequest[],
    now: (): Date => new Date(Date.now() + world.clockOffset),
    newId: (): string => String(++lastId),
  };
  return world;
}

export type World = ReturnType<typeof createWorld>;

export const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');

export const itemAt = (world: World, id: string, type: BoxItem['type']): BoxItem => {
  const item = world.items.get(id);
  if (item?.type !== type) throw new BoxApiError(404, 'not_found');
  return item;
};

export const childrenOf = (world: World, parent: string): BoxItem[] => [...world.items.values()].filter((item) => item.parent === parent);

/** Refuses a name that Box cannot hold, or that is taken: upper and lower case are the same. */
export function checkName(world: World, name: string, parent: string, mayBe: string | null = null): void {
  itemAt(world, parent, 'folder');
  if (name.length > 255) throw new BoxApiError(400, 'item_name_too_long');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Box holds no such names.
  if (name === '' || name === '.' || name === '..' || name !== name.trim() || /[/\\\u0000-\u001f]/.test(name)) {
    throw new BoxApiError(400, 'item_name_invalid');
  }
  const taken = childrenOf(world, parent).find((item) => item.name.toLowerCase() === name.toLowerCase());
  if (taken && taken.id !== mayBe) throw new BoxApiError(409, 'item_name_in_use', taken);
}

/** A new file, or a new version of one. */
export function storeFile(
  world: World,
  {
    name,
    parent,
    replaces,
    modified,
  }: { readonly name: string; readonly parent: string; readonly replaces: string | null; readonly modified: string },
  bytes: Buffer,
): BoxItem {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(modified)) throw new BoxApiError(400, 'bad_request');
  const id = replaces ?? world.newId();
  const there = world.items.get(id);
  const item: BoxItem = {
    type: 'file',
    id,
    name: there?.name ?? name,
    parent: there?.parent ?? parent,
    version: world.newId(),
    bytes,
    modified,
  };
  world.items.set(id, item);
  return item;
}

export const resourceOf = ({ type, id, name, parent, version, bytes, modified }: BoxItem) => ({
  type,
  id,
  name,
  ...(parent !== '' && { parent: { type: 'folder', id: parent } }),
  ...(type === 'file' && {
    size: bytes.length,
    sha1: sha1Of(bytes),
    content_modified_at: modified,
    file_version: { type: 'file_version', id: version, sha1: sha1Of(bytes) },
  }),
});
