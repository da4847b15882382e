import { Readable } from 'node:stream';
import { digestsOf } from '#providers/digests.ts';
import { ProviderError } from '#providers/errors.ts';
import type { CloudProvider, OpenUpload, UploadPlan } from '#providers/ports.ts';
import { isMadeOf } from '#providers/s3/copies.ts';
import { type Cloud, createInMemoryProvider, inMemoryPlan } from './in-memory-provider.ts';

const differs = () => new ProviderError('copy_differs', 'What was copied is not the file.');

/** A provider in memory whose server also holds the buckets of others: `objects`, by their keys. */
export function createCopyingProvider(
  cloud: Cloud,
  objects: ReadonlyMap<string, Buffer>,
  plan: UploadPlan = inMemoryPlan,
): Required<CloudProvider> {
  const inner = createInMemoryProvider(cloud, plan);
  const opened = (upload: OpenUpload): OpenUpload => {
    const { copyOf } = upload.handle;
    return typeof copyOf === 'string' ? { ...upload, copyOf } : upload;
  };
  return {
    ...inner,
    reaches: ({ bucket }) => bucket === 'ours',
    async begin(request, signal) {
      const copyOf = request.copyOf && { copyOf: request.copyOf.etag };
      const begun = await inner.begin({ ...request, save: (handle) => request.save({ ...handle, ...copyOf }) }, signal);
      return opened({ ...begun, handle: { ...begun.handle, ...copyOf } });
    },
    async resume(request, signal) {
      const resumed = await inner.resume(request, signal);
      return resumed.state === 'open' ? opened(resumed) : resumed;
    },
    async copyPart({ handle, number, offset, size, source }, signal) {
      const object = objects.get(source.key);
      if (!object) throw new ProviderError('not_found', 'There is no such object.');
      if (handle['copyOf'] !== source.etag) throw differs();
      const bytes = object.subarray(offset, offset + size);
      const digests = digestsOf(bytes, ['md5']);
      return await inner.putPart({ handle, number, offset, size, digests, open: () => Readable.from([bytes]) }, signal);
    },
    async complete(request, signal) {
      const { copyOf } = request.handle;
      const tags = request.parts.map(({ tag }) => tag);
      if (typeof copyOf === 'string' && !isMadeOf(copyOf, tags)) throw differs();
      return await inner.complete(request, signal);
    },
  };
}
