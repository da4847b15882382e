import { ProviderError } from '../errors.ts';
import type { CloudAnswer } from '../http/client.ts';
import type { CloudObject } from '../ports.ts';

/** Metadata of ours: the upload that made a blob, or one of the words below. */
export const ownerHeader = 'x-ms-meta-longshore';

/** An empty blob that takes the place of unfinished blocks for a moment, to have them dropped. */
export const placeholder = 'placeholder';

/** Marks an empty blob as a folder, for others too. */
export const folderHeader = 'x-ms-meta-hdi_isfolder';

/** An etag as it stands in a list: in headers it is quoted. */
export const bareEtag = (etag: string): string => etag.replace(/^(W\/)?"|"$/g, '');

export const quoted = (etag: string): string => `"${etag}"`;

export const dateOf = (text: string): Date | null => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
};

/** A file by the headers of an answer about it; null for a folder's marker. */
export function objectOf(id: string, { headers }: Pick<CloudAnswer, 'headers'>): CloudObject | null {
  if (headers[folderHeader] === 'true' || headers['x-ms-resource-type'] === 'directory') return null;
  const size = Number(headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(size)) throw new ProviderError('bad_answer', "The storage does not tell the file's size. Check the URL.");
  return {
    id,
    size,
    etag: bareEtag(headers['etag'] ?? ''),
    modified: dateOf(headers['last-modified'] ?? ''),
    archived: headers['x-ms-access-tier'] === 'Archive',
  };
}
