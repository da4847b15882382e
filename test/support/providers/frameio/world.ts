import { randomBytes, randomUUID } from 'node:crypto';

export interface FrameioAsset {
  readonly id: string;
  readonly type: 'file' | 'folder' | 'version_stack';
  readonly name: string;
  readonly parent: string;
  readonly created: Date;
  /** In the order of making. */
  readonly sequence: number;
  /** Of files. */
  readonly size: number;
  readonly mediaType: string;
  readonly parts: { readonly size: number; bytes: Buffer | null }[];
  status: 'created' | 'uploaded';
  failed: boolean;
  /** Questions that are still answered with "not yet" after the last part. */
  waits: number;
  /** Of stacks: the newest file's id, whose parent is the stack. */
  readonly head: string | null;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What goes wrong on purpose with one request. */
export type Fault =
  /** `detail`: in Frame.io's form, or the code in S3's. */
  | { readonly kind: 'answer'; readonly status: number; readonly detail?: string; readonly headers?: Readonly<Record<string, string>> }
  /** Done, but the connection breaks before the answer. */
  | { readonly kind: 'lose-answer' };

/** An error in Frame.io's form. */
export class FrameioApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** An account with one project, and one server-to-server credential. */
export function createWorld() {
  const rootFolderId = randomUUID();
  let sequence = 0;
  const world = {
    clientId: 'frameio-client',
    clientSecret: `p8e-${randomBytes(16).toString('hex')}`,
    accountId: randomUUID(),
    workspaceId: randomUUID(),
    projectId: randomUUID(),
    projectStatus: 'active' as 'active' | 'inactive',
    rootFolderId,
    /** Access tokens, and when they end in milliseconds. */
    tokens: new Map<string, number>(),
    assets: new Map<string, FrameioAsset>(),
    /** What S3 signs addresses with. */
    signingKey: randomBytes(32),
    /** Seconds that the addresses of parts are good for. */
    addressLife: 86_400,
    /** S3 encrypts with a key of KMS: then etags are no digests. */
    kms: false,
    /** Bytes of a part. */
    partSize: 1000,
    /** Questions for a file's status that are answered with "not yet", after its last part. */
    waits: 2,
    /** Whether the original may be downloaded. */
    downloads: true,
    /** Whether the limits of calls hold. */
    limited: false,
    /** Calls that were refused by them. */
    throttled: 0,
    /** How full each limit's bucket is, and since when. */
    buckets: new Map<string, { level: number; at: number }>(),
    /** Milliseconds that Frame.io's clock is ahead of ours. */
    clockOffset: 0,
    fault: (_request: SeenRequest): Fault | undefined => undefined,
    requests: [] as SeenRequest[],
    now: (): Date => new Date(Date.now() + world.clockOffset),
    add(asset: Partial<FrameioAsset> & Pick<FrameioAsset, 'type' | 'name' | 'parent'>): FrameioAsset {
      const made: FrameioAsset = {
        id: randomUUID(),
        created: world.now(),
        sequence: ++sequence,
        size: 0,
        mediaType: '',
        parts: [],
        status: 'created',
        failed: false,
        waits: 0,
        head: null,
        ...asset,
      };
      world.assets.set(made.id, made);
      return made;
    },
    files: (): FrameioAsset[] => [...world.assets.values()].filter(({ type }) => type === 'file'),
    folders: (): FrameioAsset[] => [...world.assets.values()].filter(({ type, id }) => type === 'folder' && id !== rootFolderId),
    bytesOf: ({ parts }: FrameioAsset): Buffer => Buffer.concat(parts.map(({ bytes }) => bytes ?? Buffer.alloc(0))),
  };
  world.add({ type: 'folder', id: rootFolderId, name: 'root', parent: '' });
  return world;
}

export type World = ReturnType<typeof createWorld>;

export function assetAt(world: World, id: string, type: FrameioAsset['type']): FrameioAsset {
  const asset = world.assets.get(id);
  if (asset?.type !== type) throw new FrameioApiError(404, 'Not Found');
  return asset;
}

export const childrenOf = (world: World, parent: string): FrameioAsset[] =>
  [...world.assets.values()].filter((asset) => asset.parent === parent).sort((one, other) => one.sequence - other.sequence);

export function removeTree(world: World, id: string): void {
  for (const child of childrenOf(world, id)) removeTree(world, child.id);
  world.assets.delete(id);
}

/** What the API shows of an asset. */
export function resourceOf(world: World, asset: FrameioAsset): Record<string, unknown> {
  const { id, type, name, parent, created, size, mediaType, status, head } = asset;
  const common = {
    id,
    type,
    name,
    parent_id: parent === '' ? null : parent,
    project_id: world.projectId,
    created_at: created.toISOString(),
    updated_at: created.toISOString(),
    view_url: `https://next.frame.io/project/${world.projectId}/view/${id}`,
  };
  if (type === 'folder') return common;
  if (type === 'version_stack') return { ...common, head_version: resourceOf(world, world.assets.get(head!)!) };
  return { ...common, file_size: size, media_type: mediaType, status };
}
