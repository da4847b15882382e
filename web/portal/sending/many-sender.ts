import { MoveError } from '#client/errors.ts';
import { createGatherer } from '#client/gather.ts';
import { manyParts, manyPartsAddress, manyPartsAnswers, manyPartsHead } from '#client/many-parts.ts';
import type { ChunkSender, Gate, SentChunk } from '#client/ports.ts';
import type { Blueprint } from '#protocol/schema.ts';
import { type BrowserSource, fileOf } from './chunk-sender.ts';
import { transmit } from './transmit.ts';
import type { Workers } from './workers.ts';

export interface ManySenderPorts {
  readonly workers: Workers;
  /** Requests share it with those of larger files. */
  readonly gate: Gate;
  /** Where the storage takes many parts in one request. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** Resolves when a part has waited for others long enough. */
  readonly pause: () => Promise<void>;
}

interface Part {
  readonly blueprint: Blueprint;
  readonly file: File;
  readonly onBytes: (count: number) => void;
}

/** Whether a file is one of those that share a request. */
export const sharesRequest = (size: number): boolean => size <= manyParts.partBytes;

/**
 * Sends small files many in a request, since to a browser a request is some milliseconds of work whatever is in it. A
 * worker reads them all at once and digests each; what is read is what goes out. Where one of them cannot be read, or
 * the storage takes only one by one, each goes `alone`, and comes out as it would have.
 */
export function createManySender(ports: ManySenderPorts, alone: ChunkSender<BrowserSource>): ChunkSender<BrowserSource> {
  const { workers, gate, url, signal, pause } = ports;

  async function send(parts: readonly Part[]): Promise<(SentChunk | MoveError | null)[]> {
    const read = await workers.pack(parts.map(({ file }) => file)).catch(() => null);
    if (read === null || read.bytes.byteLength !== parts.reduce((sum, { file }) => sum + file.size, 0)) return parts.map(() => null);
    const named = parts.map(({ blueprint, file }) => ({ blueprint, length: file.size }));
    const head = new TextEncoder().encode(manyPartsHead(named));
    const body = new Blob([head, read.bytes]);
    const shares = sharesOf(parts, head.length);
    try {
      const { text } = await transmit({
        method: 'POST',
        url: manyPartsAddress(url, named),
        headers: { 'content-type': 'text/plain' },
        body,
        onBytes: shares,
        signal,
      });
      return manyPartsAnswers(text, parts.length).map((answer, index) =>
        answer instanceof MoveError ? answer : { etag: answer, blake3: read.blake3[index]! },
      );
    } catch (error) {
      // Whatever stands between does not let such a request through.
      if (error instanceof MoveError && ['storage_refused', 'address_refused', 'upload_gone'].includes(error.code)) {
        return parts.map(() => null);
      }
      throw error;
    }
  }

  const together = createGatherer<Part, SentChunk | MoveError | null>({
    most: manyParts.parts,
    mostWeight: manyParts.bytes,
    // An address is as much as some bytes.
    weightOf: ({ file }) => file.size + 512,
    pause,
    run: (parts) => gate(() => send(parts)),
  });

  return async (blueprint, source, slice, options) => {
    const sent = options.md5 ? null : await together({ blueprint, file: fileOf(source), onBytes: options.onBytes });
    if (sent instanceof MoveError) throw sent;
    return sent ?? gate(() => alone(blueprint, source, slice, options));
  };
}

/** Tells each part what of it has gone out, in their order. */
function sharesOf(parts: readonly Part[], headLength: number): (count: number) => void {
  let gone = -headLength;
  let index = 0;
  let ofThis = 0;
  return (count) => {
    gone += count;
    for (; index < parts.length && gone > 0; ) {
      const { file, onBytes } = parts[index]!;
      const more = Math.min(gone, file.size - ofThis);
      if (more > 0) onBytes(more);
      gone -= more;
      ofThis += more;
      if (ofThis < file.size) return;
      index++;
      ofThis = 0;
    }
  };
}
