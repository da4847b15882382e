import { TransferError } from '#client/errors.ts';
import { createStallTimeouts, type StallTimeouts, stallMilliseconds } from '#client/stall-timeouts.ts';
import { storageRefusal } from '#client/storage-answers.ts';

const lookMilliseconds = 1_000;
/** Shared by the whole page, since the stall timeout adapts to the storage's observed speed. */
const ofThePage = createStallTimeouts();

interface Transmission {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob | Uint8Array<ArrayBuffer>;
  /** The number of bytes sent since the last call. */
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
  /** Default: shared with the page's other requests. */
  readonly stallTimeouts?: StallTimeouts;
}

/** The storage's answer after it has received everything. */
interface Taken {
  readonly etag: string | null;
  readonly text: string;
}

/**
 * Sends to the storage by `XMLHttpRequest`, the only browser API that reports upload progress. Rejects with a
 * `TransferError`: the storage's answer, `cut` or `stalled`.
 */
export function transmit(transmission: Transmission): Promise<Taken> {
  const { method, url, headers, body, onBytes, signal, stallTimeouts = ofThePage } = transmission;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    let sent = 0;
    const size = body instanceof Blob ? body.size : body.byteLength;
    const wait = stallTimeouts.waitFor({ method, url: new URL(url), bytes: size });
    const began = performance.now();
    let lastMove = began;
    let mostSilence = Math.max(stallMilliseconds, wait.betweenPieces);
    const watch = setInterval(() => {
      if (performance.now() - lastMove <= mostSilence) return;
      wait.stalled();
      end(() => reject(new TransferError('stalled', 'The storage stopped: no byte moved for too long.')), true);
    }, lookMilliseconds);
    const end = (settle: () => void, abort = false): void => {
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      settle();
      if (abort) request.abort();
    };
    const stop = (): void => end(() => reject(signal.reason), true);
    signal.addEventListener('abort', stop, { once: true });
    request.upload.onprogress = ({ loaded }) => {
      lastMove = performance.now();
      onBytes(loaded - sent);
      sent = loaded;
      if (loaded === size) mostSilence = wait.afterSending(lastMove - began);
    };
    request.onload = () => {
      const { status } = request;
      wait.answered(performance.now() - began);
      if (status >= 200 && status < 300) return end(() => resolve({ etag: request.getResponseHeader('etag'), text: request.responseText }));
      const retryAfter = request.getResponseHeader('retry-after') ?? undefined;
      const text = request.responseText.slice(0, 4_096);
      end(() => reject(storageRefusal({ status, headers: { 'retry-after': retryAfter }, text }, 'upload')));
    };
    request.onerror = () => {
      // A browser cannot distinguish a refused connection from a broken one, so the storage may have received
      // everything.
      end(() => reject(new TransferError('cut', 'The connection to the storage broke.')));
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers))
      if (!/^(?:host|content-length)$/i.test(name)) request.setRequestHeader(name, value);
    request.send(body);
  });
}
