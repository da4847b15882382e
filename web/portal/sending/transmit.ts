import { MoveError } from '#client/errors.ts';
import { storageRefusal } from '#client/storage-answers.ts';

/** Milliseconds without a byte moving. */
const stallTime = 60_000;
const lookMilliseconds = 5_000;

export interface Transmission {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob | Uint8Array<ArrayBuffer>;
  /** How many more bytes went out. */
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
}

/** What the storage says when it has taken all of it. */
export interface Taken {
  readonly etag: string | null;
  readonly text: string;
}

/**
 * Sends to the storage by `XMLHttpRequest`, which alone tells how far it is. Rejects with a `MoveError`: what the storage
 * said, `cut` or `stalled`.
 */
export function transmit({ method, url, headers, body, onBytes, signal }: Transmission): Promise<Taken> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    let sent = 0;
    let lastMove = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - lastMove > stallTime) end(() => reject(new MoveError('stalled', 'Nothing has moved for a minute.')), true);
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
    };
    request.onload = () => {
      const { status } = request;
      if (status >= 200 && status < 300) return end(() => resolve({ etag: request.getResponseHeader('etag'), text: request.responseText }));
      const retryAfter = request.getResponseHeader('retry-after') ?? undefined;
      const text = request.responseText.slice(0, 4_096);
      end(() => reject(storageRefusal({ status, headers: { 'retry-after': retryAfter }, text }, 'upload')));
    };
    request.onerror = () => {
      // A browser does not tell a refused connection from one that broke, so the storage may have taken all of it.
      end(() => reject(new MoveError('cut', 'The connection to the storage broke.')));
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers))
      if (!/^(?:host|content-length)$/i.test(name)) request.setRequestHeader(name, value);
    request.send(body);
  });
}
