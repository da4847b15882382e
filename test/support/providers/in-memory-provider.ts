import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { digestsOf } from '#providers/digests.ts';
import { ProviderError } from '#providers/errors.ts';
import { choosePartSize, partRanges } from '#providers/parts.ts';
import type { CloudEntry, CloudObject, CloudProvider, PartLayout, StoredPart, UploadPlan } from '#providers/ports.ts';

interface StoredFile extends CloudObject {
  readonly bytes: Buffer;
}

interface Upload {
  readonly path: string;
  readonly modified: Date;
  readonly layout: PartLayout;
  readonly onlyIfFree: boolean;
  readonly parts: Map<number, StoredPart & { readonly bytes: Buffer }>;
}

/** What a provider in memory holds; several providers may look at one. */
export interface Cloud {
  readonly files: Map<string, StoredFile>;
  readonly folders: Set<string>;
  readonly uploads: Map<string, Upload>;
}

export const newCloud = (): Cloud => ({ files: new Map(), folders: new Set(), uploads: new Map() });

export const inMemoryPlan: UploadPlan = {
  smallestPart: 1000,
  largestPart: 1_000_000,
  usualPart: 1000,
  partMultiple: 1,
  maxParts: 10_000,
  largestFile: 1_000_000_000,
  dictatesParts: false,
  order: 'any',
  partDigests: ['md5'],
  digestsToBegin: [],
  digestsToComplete: ['sha1'],
};

const gone = () => new ProviderError('upload_gone', 'There is no such upload any more. Begin the file again.');
const missing = () => new ProviderError('part_missing', 'A part is missing. Send it again.');

/** Rejects with the signal's reason, even where a stream is stuck. */
const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

/** A provider for tests of what stands on the port. It passes the conformance suite. */
export function createInMemoryProvider(
  cloud: Cloud = newCloud(),
  plan: UploadPlan = inMemoryPlan,
): CloudProvider & Required<Pick<CloudProvider, 'hasFolder'>> {
  const uploadOf = ({ uploadId }: { readonly uploadId?: unknown }): Upload => {
    const upload = cloud.uploads.get(String(uploadId));
    if (!upload) throw gone();
    return upload;
  };
  const publicOf = ({ bytes: _, ...object }: StoredFile): CloudObject => object;
  const storedOf = (upload: Upload): StoredPart[] =>
    [...upload.parts.values()].sort((one, other) => one.number - other.number).map(({ number, size, tag }) => ({ number, size, tag }));

  return {
    name: 'generic_s3',
    plan,
    paths: {
      problem: (path) => (path.includes('\0') ? 'A name has a NUL.' : null),
      ignoresCase: false,
    },

    async check(_request, signal) {
      signal.throwIfAborted();
      return [];
    },

    async list({ folder, cursor = '', count, recursive = false }, signal) {
      signal.throwIfAborted();
      const prefix = folder === '' ? '' : `${folder}/`;
      const entries = new Map<string, CloudEntry>();
      for (const path of [...cloud.files.keys(), ...[...cloud.folders].map((one) => `${one}/`)]) {
        if (!path.startsWith(prefix) || path === prefix) continue;
        const rest = path.slice(prefix.length);
        const slash = rest.indexOf('/');
        const file = cloud.files.get(path);
        if (file && (recursive || slash === -1)) {
          entries.set(path, { kind: 'file', ...publicOf(file), name: path.slice(path.lastIndexOf('/') + 1) });
        } else if (!recursive) {
          const id = prefix + rest.slice(0, slash);
          entries.set(`${id}/`, { kind: 'folder', id, name: rest.slice(0, slash) });
        } else if (![...cloud.files.keys(), ...cloud.folders].some((other) => other.startsWith(path))) {
          const id = path.slice(0, -1);
          entries.set(path, { kind: 'folder', id, name: id.slice(id.lastIndexOf('/') + 1) });
        }
      }
      const keys = [...entries.keys()].sort().filter((key) => key > cursor);
      const page = keys.slice(0, count);
      return { entries: page.map((key) => entries.get(key)!), cursor: keys.length > count ? page.at(-1)! : null };
    },

    async head({ id }, signal) {
      signal.throwIfAborted();
      const file = cloud.files.get(id);
      return file ? publicOf(file) : null;
    },

    async hasFolder({ path }, signal) {
      signal.throwIfAborted();
      return cloud.folders.has(path);
    },

    async makeFolder({ path }, signal) {
      signal.throwIfAborted();
      cloud.folders.add(path);
    },

    async begin({ path, size, modified, partSize, onlyIfFree = false, save }, signal) {
      signal.throwIfAborted();
      const layout = { fileSize: size, partSize: choosePartSize(plan, size, partSize) };
      for (const [id, upload] of cloud.uploads) if (upload.path === path) cloud.uploads.delete(id);
      const uploadId = randomUUID();
      const handle = { uploadId, path };
      await save(handle);
      cloud.uploads.set(uploadId, { path, modified, layout, onlyIfFree, parts: new Map() });
      return { state: 'open', handle, layout, stored: [] };
    },

    async resume({ handle }, signal) {
      signal.throwIfAborted();
      const upload = cloud.uploads.get(String(handle['uploadId']));
      if (upload) return { state: 'open', handle, layout: upload.layout, stored: storedOf(upload) };
      const file = cloud.files.get(String(handle['path']));
      return file && file.etag === handle['uploadId'] ? { state: 'complete', object: publicOf(file) } : { state: 'gone' };
    },

    async putPart({ handle, number, size, digests, open }, signal) {
      signal.throwIfAborted();
      const upload = uploadOf(handle);
      const bytes = await Promise.race([buffer(open(0)), rejectionOf(signal)]);
      const tag = digestsOf(bytes, ['md5'])['md5']!;
      if (bytes.length !== size || tag !== digests['md5']) {
        throw new ProviderError('corrupted', 'The part arrived as other bytes. It is sent again.');
      }
      const part = { number, size, tag };
      upload.parts.set(number, { ...part, bytes });
      return part;
    },

    async complete({ handle, parts }, signal) {
      signal.throwIfAborted();
      const uploadId = String(handle['uploadId']);
      const done = cloud.files.get(String(handle['path']));
      if (done?.etag === uploadId) return publicOf(done);
      const upload = uploadOf(handle);
      if (done && upload.onlyIfFree) throw new ProviderError('exists', 'Something is there already. Move it, then retry.');
      const named = [...partRanges(upload.layout)];
      const bytes = Buffer.concat(
        named.map(({ number, size }, index) => {
          const stored = upload.parts.get(number);
          if (!stored || stored.size !== size || stored.tag !== parts[index]?.tag) throw missing();
          return stored.bytes;
        }),
      );
      const file = { id: upload.path, size: bytes.length, etag: uploadId, modified: upload.modified, archived: false, bytes };
      cloud.files.set(upload.path, file);
      cloud.uploads.delete(uploadId);
      return publicOf(file);
    },

    async abort({ handle }, signal) {
      signal.throwIfAborted();
      cloud.uploads.delete(String(handle['uploadId']));
    },

    async openRange({ id, range, ifMatch }, signal) {
      signal.throwIfAborted();
      const file = cloud.files.get(id);
      if (!file) throw new ProviderError('not_found', 'There is no such file any more.');
      if (ifMatch !== undefined && ifMatch !== file.etag) throw new ProviderError('changed', 'The file has changed. Begin again.');
      if (range && range.start >= file.size) throw new ProviderError('range_not_satisfiable', 'The file is shorter than that.');
      return Readable.from([range ? file.bytes.subarray(range.start, range.end + 1) : file.bytes]);
    },

    async remove({ id }, signal) {
      signal.throwIfAborted();
      cloud.files.delete(id);
      cloud.folders.delete(id);
    },

    renew() {},
    async close() {},
  };
}
