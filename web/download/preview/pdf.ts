import { TransferError } from '#client/errors.ts';
import { storageRefusal } from '#client/storage-answers.ts';

/** Readers look for it in so many bytes, since some programs write other things before it. */
const headerWithin = 1_024;

/**
 * A PDF as an address of this page alone (`blob:`), to be revoked; null for what is none. The storage's own address is
 * not shown in a frame: it answers with an attachment, whatever the file is, so that nothing of a stranger ever runs at
 * the storage's origin. Here the type is ours, and browsers give it to their viewer without looking at the bytes.
 */
export async function pdfAddress(fetcher: typeof fetch, url: string, signal: AbortSignal): Promise<string | null> {
  const response = await fetcher(url, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer', signal });
  if (!response.ok) {
    const text = (await response.text()).slice(0, 2_000);
    throw storageRefusal({ status: response.status, headers: Object.fromEntries(response.headers), text }, 'object');
  }
  const bytes = await response.arrayBuffer().catch((cause: unknown) => {
    throw new TransferError('cut', 'The connection broke.', { cause });
  });
  return isPdf(new Uint8Array(bytes)) ? URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' })) : null;
}

export const isPdf = (bytes: Uint8Array): boolean => new TextDecoder('latin1').decode(bytes.subarray(0, headerWithin)).includes('%PDF-');
