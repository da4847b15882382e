import { TransferError } from '#client/errors.ts';
import { parseBatchGetHead } from '#protocol/storage/batch-get.ts';

/** Parses a batch answer with many objects (storage/local/batch-get.ts) while it is received. */
interface BatchGetParser {
  /** Adds bytes of the body, which may be overwritten afterwards. Throws `wrong_answer` if they are not a batch answer. */
  add(bytes: Buffer): void;
  /** Ends the answer. Throws `cut` if that is too early. */
  end(): void;
}

/** Maximum bytes of the head line; a longer one is invalid. */
const maxHeadBytes = 1024 * 1024;
const newline = 0x0a;

/**
 * @param lengths of the requested objects, in order. An object that is refused, or answered with another length, is
 * skipped silently.
 * @param onObject called for each of the others, in order, as soon as it is complete; its bytes may be part of those added
 */
export function createBatchGetParser(lengths: readonly number[], onObject: (index: number, bytes: Buffer) => void): BatchGetParser {
  let head: Buffer[] = [];
  let headLength = 0;
  /** Length of each object in the answer; an element is null if it is missing. Null before the head is received. */
  let announced: readonly (number | null)[] | null = null;
  let index = 0;
  /** The received part of an object that has not all come, in a buffer of its length. */
  let partial: Buffer | null = null;
  let received = 0;

  function addToHead(bytes: Buffer): Buffer {
    const end = bytes.indexOf(newline);
    const of = end < 0 ? bytes : bytes.subarray(0, end);
    head.push(end < 0 ? Buffer.from(of) : of);
    headLength += of.length;
    if (headLength > maxHeadBytes) throw invalidAnswer();
    if (end < 0) return bytes.subarray(bytes.length);
    announced = lengthsIn(Buffer.concat(head, headLength).toString('utf8'), lengths);
    head = [];
    return bytes.subarray(end + 1);
  }

  function addToObjects(bytes: Buffer, all: readonly (number | null)[]): void {
    let at = 0;
    for (;;) {
      while (index < all.length && all[index] === null) index++;
      if (index === all.length) {
        if (at < bytes.length) throw invalidAnswer();
        return;
      }
      const length = all[index]!;
      const more = Math.min(length - received, bytes.length - at);
      const piece = bytes.subarray(at, at + more);
      at += more;
      received += more;
      if (received < length) {
        if (more > 0) {
          partial ??= Buffer.allocUnsafe(length);
          partial.set(piece, received - more);
        }
        return;
      }
      partial?.set(piece, received - more);
      const object = partial ?? piece;
      const asked = lengths[index];
      partial = null;
      received = 0;
      index++;
      if (length === asked) onObject(index - 1, object);
    }
  }

  return {
    add(bytes) {
      const rest = announced ? bytes : addToHead(bytes);
      if (announced) addToObjects(rest, announced);
    },
    end() {
      if (!announced) throw headLength === 0 ? cut() : invalidAnswer();
      if (announced.slice(index).some((length) => length !== null)) throw cut();
    },
  };
}

/** An object longer than requested is not accepted. */
function lengthsIn(line: string, asked: readonly number[]): readonly (number | null)[] {
  const lengths = parseBatchGetHead(line, asked);
  if (!lengths) throw invalidAnswer();
  return lengths;
}

const invalidAnswer = (): TransferError => new TransferError('wrong_answer', 'The storage answered with other files than were asked for.');
const cut = (): TransferError => new TransferError('cut', 'The connection to the storage broke before all files had come.');
