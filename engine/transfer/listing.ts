import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { ApiError } from '#protocol/errors.ts';
import { File } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';

const listing = Compile(Type.Array(File));

/** The files of a package, the service's word checked before anything is done by it; the virtual zips are left out. */
export function checkedListing(answer: unknown): File[] {
  if (!listing.Check(answer)) {
    const [first] = listing.Errors(answer);
    throw new ApiError('package_unusable', { detail: first ? `${first.instancePath} ${first.message}.` : 'it is no list of files.' });
  }
  const files = answer.filter((file) => file.kind === 'file' || file.kind === 'directory');
  for (const file of files) {
    const size = file.size ?? 0;
    const chunkSize = file.chunk_size || limits.defaultChunkSize;
    if (file.kind === 'file' && size / chunkSize > limits.maxChunkCount) {
      throw new ApiError('package_unusable', { detail: `a file of ${size} bytes has chunks of ${chunkSize}.` });
    }
  }
  return files;
}
