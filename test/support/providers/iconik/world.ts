import { randomBytes, randomUUID } from 'node:crypto';
import { createWorld as createGcsWorld } from '../gcs/world.ts';

export interface Collection {
  readonly id: string;
  readonly title: string;
  readonly parent: string | null;
  readonly made: string;
  status: 'ACTIVE' | 'DELETED';
}

export interface Asset {
  readonly id: string;
  readonly title: string;
  readonly externalId: string | null;
  readonly collections: Set<string>;
  readonly made: string;
  /** `DELETED`: it lies in iconik's bin, with its files and their bytes. */
  status: 'ACTIVE' | 'DELETED';
}

/** A format or a file set. */
export interface Branch {
  readonly id: string;
  readonly asset: string;
  readonly format: string | null;
  readonly storage: string | null;
}

export interface FileEntry {
  readonly id: string;
  readonly asset: string;
  readonly format: string;
  readonly fileSet: string;
  readonly storage: string;
  readonly name: string;
  readonly directory: string;
  readonly modified: string;
  size: number;
  status: string;
}

/** A multipart upload in the bucket. */
export interface MultipartUpload {
  readonly id: string;
  readonly key: string;
  readonly parts: Map<number, { readonly etag: string; readonly bytes: Buffer }>;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What goes wrong on purpose with one request. */
export type Fault =
  /** Answered without being looked at. `code` is the bucket's. */
  | { readonly kind: 'answer'; readonly status: number; readonly code?: string; readonly headers?: Readonly<Record<string, string>> }
  /** Done, but the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' }
  /** A part arrives with another first byte. */
  | { readonly kind: 'corrupt' }
  /** A session keeps at most these bytes of the request. */
  | { readonly kind: 'keep'; readonly bytes: number };

/** An error in iconik's form. */
export class IconikApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** An error in the form of S3 and of Cloud Storage's XML API. */
export class BucketError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message = code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const allRoles = [
  'can_read_storages',
  'can_read_collections',
  'can_create_collections',
  'can_delete_collections',
  'can_read_assets',
  'can_create_assets',
  'can_delete_assets',
  'can_write_formats',
  'can_read_files',
  'can_write_files',
  'can_delete_files',
  'can_search',
  'can_create_transcode_jobs',
] as const;
export type Role = (typeof allRoles)[number];

export type BucketAction = 'put' | 'get' | 'list-parts' | 'abort';

/** A system of iconik's with one application, one storage, and the bucket behind it. */
export function createWorld() {
  const world = {
    account: { applicationId: randomUUID(), token: `eyJ0eXAi.${randomBytes(24).toString('base64url')}`, roles: new Set<Role>(allRoles) },
    storage: {
      id: randomUUID(),
      method: 'S3',
      purpose: 'FILES',
      status: 'ACTIVE',
      access: { read: true, write: true, delete: true },
    },
    collections: new Map<string, Collection>(),
    assets: new Map<string, Asset>(),
    formats: new Map<string, Branch>(),
    fileSets: new Map<string, Branch>(),
    files: new Map<string, FileEntry>(),
    /** Ids of files whose previews were asked for. */
    previews: [] as string[],
    /** Whether the search has caught up. */
    searchKnows: true,
    /** What the bucket's own credentials in iconik may do. */
    bucketAllows: new Set<BucketAction>(['put', 'get', 'list-parts', 'abort']),
    /** Of the S3 bucket, by key. */
    objects: new Map<string, Buffer>(),
    uploads: new Map<string, MultipartUpload>(),
    /** The Cloud Storage bucket. */
    gcs: createGcsWorld(),
    /** Bytes of a part that is not the last. */
    smallestPart: 256 * 1024,
    /** Parts that one answer lists. */
    partsOfPage: 1000,
    /** Whether its signatures leave room for a digest that is sent along. */
    takesDigests: true,
    /** The bucket encrypts with a key of KMS: its etags are no digests. */
    encrypted: false,
    /** Whether files that are not closed have an address to read. */
    readsOpenFiles: true,
    /** Bytes of parts that the S3 bucket was sent. */
    bytesReceived: 0,
    signingKey: randomBytes(32),
    /** Milliseconds that an address is good for. */
    addressLife: 3_600_000,
    /** Milliseconds that iconik's clock is ahead of ours. */
    clockOffset: 0,
    fault: (_request: SeenRequest): Fault | undefined => undefined,
    requests: [] as SeenRequest[],
    now: (): Date => new Date(Date.now() + world.clockOffset),
  };
  return world;
}

export type World = ReturnType<typeof createWorld>;

/** Where a file lies in the bucket. */
export const keyOf = ({ directory, name }: FileEntry): string => (directory === '' ? name : `${directory}/${name}`);

/** The bytes of a key; undefined if there are none. */
export const bytesAt = (world: World, key: string): Buffer | undefined =>
  world.storage.method === 'GCS' ? world.gcs.objects.get(key)?.bytes : world.objects.get(key);

export function removeBytes(world: World, key: string): void {
  world.objects.delete(key);
  world.gcs.objects.delete(key);
}

/** Everything that is kept: assets that people see, uploads that take bytes, and bytes that no asset knows of. */
export function everythingKept(world: World): string[] {
  const known = new Set([...world.files.values()].map(keyOf));
  return [
    ...[...world.assets.values()].filter(({ status }) => status === 'ACTIVE').map(({ id, title }) => `asset ${title} ${id}`),
    ...[...world.uploads.values()].map(({ id, key }) => `upload ${key} ${id}`),
    ...[...world.gcs.sessions.values()].filter(({ state }) => state === 'open').map(({ id, resource }) => `session ${resource.name} ${id}`),
    ...[...world.objects.keys(), ...world.gcs.objects.keys()].filter((key) => !known.has(key)).map((key) => `bytes ${key}`),
  ];
}
