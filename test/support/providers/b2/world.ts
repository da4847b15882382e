import { createHash, randomBytes } from 'node:crypto';

export interface ApplicationKey {
  readonly id: string;
  readonly secret: string;
  readonly capabilities: Set<string>;
  /** Ids of buckets; null for all. */
  buckets: readonly string[] | null;
  namePrefix: string | null;
  /** Milliseconds since 1970. */
  expires: number | null;
}

export interface FileVersion {
  readonly fileId: string;
  readonly fileName: string;
  readonly action: 'upload' | 'hide';
  readonly contentType: string;
  readonly info: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Null for a file that was sent in parts. */
  readonly sha1: string | null;
  readonly uploadTimestamp: number;
}

export interface LargeFile extends Pick<FileVersion, 'fileId' | 'fileName' | 'contentType' | 'info' | 'uploadTimestamp'> {
  readonly parts: Map<number, { readonly bytes: Buffer; readonly sha1: string; readonly uploadTimestamp: number }>;
}

/** What an upload address takes: a file into the bucket, or parts of one large file. */
export interface UploadToken {
  /** Null for files. */
  readonly fileId: string | null;
  readonly key: ApplicationKey;
  readonly expires: number;
  inUse: boolean;
}

/** What goes wrong on purpose with one request. */
export type Fault =
  /** Answered without being looked at. */
  | { readonly kind: 'answer'; readonly status: number; readonly code?: string; readonly headers?: Readonly<Record<string, string>> }
  /** Done, but answered as a failure. */
  | { readonly kind: 'fail-after'; readonly status: number }
  /** Done, but the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' }
  /** The connection breaks after these bytes of a read. */
  | { readonly kind: 'break-read'; readonly bytes: number };

/** Which of Backblaze's hosts a request came to. */
export type Host = 'authorize' | 'api' | 'download' | 'pod';

export interface SeenRequest {
  readonly host: Host;
  readonly method: string;
  /** `b2_list_buckets`; for downloads `download`. */
  readonly call: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of the body, if it is JSON. */
  body: Readonly<Record<string, unknown>>;
}

/** An error in B2's form. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const allCapabilities = [
  'listBuckets',
  'listAllBucketNames',
  'readBuckets',
  'listFiles',
  'readFiles',
  'shareFiles',
  'writeFiles',
  'deleteFiles',
];

export const sha1Of = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');

const day = 24 * 3600 * 1000;

/** An account with one bucket, its master key and an application key, its clock, and what goes wrong in it. */
export function createWorld() {
  const accountId = '8eb6da2fb6e3';
  const newKey = (id: string): ApplicationKey => ({
    id,
    secret: `K005${randomBytes(20).toString('base64url')}`,
    capabilities: new Set(allCapabilities),
    buckets: null,
    namePrefix: null,
    expires: null,
  });
  const masterKey = newKey(accountId);
  const bucket = { id: '4a48fe8875c6214145260818', name: 'my-bucket', options: ['s3'] as readonly string[] };
  const key = newKey(`005${accountId}0000000001`);
  key.buckets = [bucket.id];
  let files = 0;
  const world = {
    accountId,
    bucket,
    masterKey,
    key,
    keys: new Map([masterKey, key].map((one) => [one.id, one])),
    /** All versions of a name, the newest first. */
    files: new Map<string, FileVersion[]>(),
    largeFiles: new Map<string, LargeFile>(),
    /** Account tokens, by value. */
    tokens: new Map<string, { readonly key: ApplicationKey; readonly expires: number }>(),
    uploadTokens: new Map<string, UploadToken>(),
    /** Where the S3-compatible API is said to be. */
    s3ApiUrl: 'https://s3.us-west-004.backblazeb2.com',
    /** Where the hosts are said to be, if not where they are: behind a proxy. */
    addresses: {} as Partial<Record<Host, string>>,
    /** Caps of the account that are reached. */
    reached: new Set<'storage' | 'transaction' | 'download'>(),
    /** Whether b2_get_file_info tells of large files that are not finished, which the documents leave open. */
    tellsUnfinished: true,
    /** Milliseconds that Backblaze's clock is ahead of ours. */
    clockOffset: 0,
    /** Asked for each request, in order of arrival. */
    fault: (_request: SeenRequest): Fault | undefined => undefined,
    requests: [] as SeenRequest[],
    /** Bytes of files and parts that were taken. */
    bytesTaken: 0,
    /** Most uploads that went on at once. */
    mostAtOnce: 0,
    uploading: 0,
    now: (): number => Date.now() + world.clockOffset,
    newFileId: (): string => `4_z${bucket.id}_f${String(++files).padStart(16, '0')}_d20260102_m030405_c001_v0001111_t0000`,
    newToken(of: ApplicationKey): string {
      const token = `4_${of.id}_${randomBytes(12).toString('hex')}_acct`;
      world.tokens.set(token, { key: of, expires: Math.min(world.now() + day, of.expires ?? Number.POSITIVE_INFINITY) });
      return token;
    },
    newUploadToken(of: ApplicationKey, fileId: string | null): string {
      const token = `4_${of.id}_${randomBytes(12).toString('hex')}_upld`;
      world.uploadTokens.set(token, { fileId, key: of, expires: world.now() + day, inUse: false });
      return token;
    },
    store(version: Omit<FileVersion, 'uploadTimestamp'>): FileVersion {
      const stored = { ...version, uploadTimestamp: world.now() };
      world.files.set(version.fileName, [stored, ...(world.files.get(version.fileName) ?? [])]);
      return stored;
    },
    /** The newest version of a name, unless it is hidden. */
    visible(fileName: string): FileVersion | undefined {
      const newest = world.files.get(fileName)?.[0];
      return newest?.action === 'upload' ? newest : undefined;
    },
  };
  return world;
}

export type World = ReturnType<typeof createWorld>;
