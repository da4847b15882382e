import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { digestsOf } from '#providers/digests.ts';

/** An object resource and its bytes. */
export interface StoredObject {
  readonly name: string;
  readonly generation: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly updated: Date;
  readonly bytes: Buffer;
}

export interface Session {
  readonly id: string;
  readonly bucket: string;
  readonly resource: ObjectResource;
  /** From `X-Upload-Content-Length`; null if it was not said. */
  readonly size: number | null;
  readonly ifGenerationMatch: string | null;
  readonly begun: Date;
  kept: Buffer;
  state: 'open' | 'complete' | 'cancelled' | 'failed';
  object: StoredObject | null;
}

/** What the client says of an object that it makes. */
export interface ObjectResource {
  readonly name: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly crc32c?: string;
  readonly md5Hash?: string;
}

export interface Account {
  readonly email: string;
  publicKey: KeyObject | null;
  readonly permissions: Set<string>;
}

/** What goes wrong on purpose with one request. */
export type Fault =
  /** Answered without being looked at. */
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly reason?: string }
  /** Done, but the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' }
  /** A session keeps at most these bytes of the request. */
  | { readonly kind: 'keep'; readonly bytes: number }
  /** The connection breaks after these bytes of a read. */
  | { readonly kind: 'break-read'; readonly bytes: number };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An error in the form of the JSON API. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export const allPermissions = ['create', 'delete', 'get', 'list'].map((one) => `storage.objects.${one}`);

/** Made once: it takes longer than most tests. */
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A project with one service account and one bucket, its clock, and what goes wrong in it. */
export function createWorld() {
  const { privateKey, publicKey } = keys;
  const account: Account = { email: 'longshore@project.iam.gserviceaccount.com', publicKey, permissions: new Set(allPermissions) };
  let generation = 1_700_000_000_000_000n;
  const world = {
    account,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    bucket: 'my-bucket',
    objects: new Map<string, StoredObject>(),
    sessions: new Map<string, Session>(),
    /** Access tokens, and when they end in milliseconds. */
    tokens: new Map<string, number>(),
    /** Milliseconds that Google's clock is ahead of ours. */
    clockOffset: 0,
    /** Asked for each request, in order of arrival; the first fault that is given is used. */
    fault: (_request: SeenRequest): Fault | undefined => undefined,
    requests: [] as SeenRequest[],
    /** Bytes of files that sessions were sent, those that were not kept included. */
    bytesReceived: 0,
    now: (): Date => new Date(Date.now() + world.clockOffset),
    store(resource: ObjectResource, bytes: Buffer): StoredObject {
      generation += 1n;
      const { name, contentType, metadata } = resource;
      const object = { name, contentType, metadata, bytes, generation: String(generation), updated: world.now() };
      world.objects.set(name, object);
      return object;
    },
  };
  return world;
}

export type World = ReturnType<typeof createWorld>;

export const crc32cOf = (bytes: Buffer): string => Buffer.from(digestsOf(bytes, ['crc32c']).crc32c!, 'hex').toString('base64');
export const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('base64');

/** The object as the JSON API describes it. */
export const resourceOf = (world: World, { name, generation, contentType, metadata, updated, bytes }: StoredObject) => ({
  kind: 'storage#object',
  id: `${world.bucket}/${name}/${generation}`,
  name,
  bucket: world.bucket,
  generation,
  metageneration: '1',
  contentType,
  storageClass: 'STANDARD',
  size: String(bytes.length),
  crc32c: crc32cOf(bytes),
  md5Hash: md5Of(bytes),
  etag: Buffer.from(generation).toString('base64'),
  timeCreated: updated.toISOString(),
  updated: updated.toISOString(),
  ...(Object.keys(metadata).length > 0 && { metadata }),
});
