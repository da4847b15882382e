import { ProviderError } from '../errors.ts';
import type { S3Quirks } from './quirks.ts';
import type { S3Upload } from './upload-handle.ts';

/** Sends what makes an object of an upload. */
export type SendIfFree = <T>(upload: Pick<S3Upload, 'onlyIfFree'>, send: (condition: { IfNoneMatch?: '*' }) => Promise<T>) => Promise<T>;

/**
 * With `If-None-Match: *` where the upload wants it and the server takes it. One that says it does not know it, though its kind
 * should, is asked without it from then on: it is older, or another than was entered.
 */
export function createIfFree({ createsOnly }: Pick<S3Quirks, 'createsOnly'>): SendIfFree {
  let isKnown = createsOnly;
  return async (upload, send) => {
    if (!isKnown || !upload.onlyIfFree) return await send({});
    try {
      return await send({ IfNoneMatch: '*' });
    } catch (error) {
      if (!(error instanceof ProviderError) || !/^NotImplemented\b| 501$/.test(error.answered)) throw error;
      isKnown = false;
      return await send({});
    }
  };
}
