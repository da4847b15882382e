import { ProviderError } from '../errors.ts';
import { contentRange, sessionOver, storedBytes } from '../gcs/session-range.ts';
import { firstOf } from '../gcs/source-bytes.ts';
import type { CloudAnswer, CloudHttp, CloudRequest } from '../http/client.ts';
import { partRanges } from '../parts.ts';
import { noSense } from './api.ts';
import { type BucketUploads, changedOnTheWay, gone, missing } from './bucket-uploads.ts';
import { storageError } from './errors.ts';
import { crc32cIn } from './stored-object.ts';
import { layoutOf, type SendingFile } from './upload-file.ts';

type SessionState =
  | { readonly state: 'open'; readonly stored: number }
  /** The object is there. Its digest, where the answer names it. */
  | { readonly state: 'complete'; readonly crc32c: string | null }
  | { readonly state: 'gone' };

const nothingStored = () =>
  new ProviderError(
    'busy',
    'Google Cloud Storage behind iconik kept nothing of what it was sent. It is tried again; if that goes on, look at https://status.cloud.google.com.',
  );

/** Resumable sessions of Cloud Storage: one stream in order. The last byte makes the object, which iconik does not show yet. */
export function createGcsSessions(http: CloudHttp, now: () => Date): BucketUploads {
  async function put(
    file: SendingFile,
    { from, to, body }: { readonly from: number; readonly to: number; readonly body: NonNullable<CloudRequest['body']> },
    signal: AbortSignal,
  ): Promise<SessionState> {
    const headers = { 'content-range': contentRange(from, to, file.size) };
    return stateIn(await http.send({ method: 'PUT', url: file.target.session, headers, body }, signal));
  }

  const ask = (file: SendingFile, signal: AbortSignal) => put(file, { from: 0, to: 0, body: '' }, signal);

  function stateIn(answer: CloudAnswer): SessionState {
    if (answer.status === 200 || answer.status === 201) return { state: 'complete', crc32c: crc32cIn(answer.headers) };
    if (sessionOver.has(answer.status)) return { state: 'gone' };
    const stored = answer.status === 308 ? storedBytes(answer) : null;
    if (stored !== null) return { state: 'open', stored };
    throw answer.status === 308 ? noSense() : storageError(answer, now());
  }

  return {
    order: 'ascending',

    async start({ uploadUrl }, signal) {
      if (uploadUrl === '') throw noSense();
      const answer = await http.send({ method: 'POST', url: uploadUrl, headers: { 'x-goog-resumable': 'start' }, body: '' }, signal);
      if (answer.status >= 300) throw storageError(answer, now());
      const address = answer.headers['location'] ?? '';
      if (!URL.canParse(address)) throw noSense();
      return address;
    },

    async stored(file, signal) {
      const session = await ask(file, signal);
      if (session.state === 'gone') return { state: 'over' };
      const ranges = [...partRanges(layoutOf(file))].map(({ number, offset, size }) => ({ number, size, tag: '', end: offset + size }));
      const there = session.state === 'complete' ? ranges : ranges.filter(({ end, size }) => size > 0 && end <= session.stored);
      return { state: 'open', parts: there.map(({ number, size, tag }) => ({ number, size, tag })) };
    },

    async put(file, { number, size, offset, open }, signal) {
      const part = { number, size, tag: '' };
      const end = offset + size;
      let session = await ask(file, signal);
      while (session.state === 'open') {
        const from = session.stored;
        if (from >= end && size > 0) return part;
        if (from < offset) throw missing();
        session = await put(file, { from, to: end, body: { stream: firstOf(open(from - offset), end - from), size: end - from } }, signal);
        if (session.state === 'open' && session.stored <= from) throw nothingStored();
      }
      if (session.state === 'gone') throw gone();
      return part;
    },

    async finish(file, _parts, crc32c, signal) {
      const session = await ask(file, signal);
      if (session.state === 'gone') return false;
      if (session.state === 'open') throw missing();
      if (crc32c !== undefined && session.crc32c !== null && session.crc32c !== crc32c) throw changedOnTheWay();
      return true;
    },

    async cancel({ target }, signal) {
      const answer = await http.send({ method: 'DELETE', url: target.session }, signal);
      // A complete session cannot be cancelled: its object goes with the asset.
      if (answer.status >= 500) throw storageError(answer, now());
    },
  };
}
