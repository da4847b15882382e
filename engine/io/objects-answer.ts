import { MoveError } from '#client/errors.ts';

/** Takes an answer with many objects apart (storage/local/many-objects.ts) as it comes. */
export interface ObjectsAnswer {
  /** More of its body. Throws `wrong_answer` where it is none. */
  add(bytes: Buffer): void;
  /** It has ended. Throws `cut` where that is too early. */
  end(): void;
}

/** A line that is longer is none. */
const longestHead = 1024 * 1024;
const newline = 0x0a;

/**
 * @param lengths of the objects that were asked for, in order. One that is answered with another length, as one that
 * is refused, is passed over in silence.
 * @param whole told of each other one, in order, as soon as all of it is there
 */
export function createObjectsAnswer(lengths: readonly number[], whole: (index: number, bytes: Buffer) => void): ObjectsAnswer {
  let head: Buffer[] = [];
  let headLength = 0;
  /** What comes of each; null: nothing. Unknown before the head has come. */
  let coming: readonly (number | null)[] | null = null;
  let index = 0;
  let pieces: Buffer[] = [];
  let gathered = 0;

  function addToHead(bytes: Buffer): Buffer {
    const end = bytes.indexOf(newline);
    const of = end < 0 ? bytes : bytes.subarray(0, end);
    head.push(of);
    headLength += of.length;
    if (headLength > longestHead) throw noAnswer();
    if (end < 0) return bytes.subarray(bytes.length);
    coming = lengthsIn(Buffer.concat(head, headLength).toString('utf8'), lengths);
    head = [];
    return bytes.subarray(end + 1);
  }

  function addToObjects(bytes: Buffer, all: readonly (number | null)[]): void {
    let at = 0;
    for (;;) {
      while (index < all.length && all[index] === null) index++;
      if (index === all.length) {
        if (at < bytes.length) throw noAnswer();
        return;
      }
      const length = all[index]!;
      const more = Math.min(length - gathered, bytes.length - at);
      const piece = bytes.subarray(at, at + more);
      at += more;
      gathered += more;
      if (gathered < length) {
        if (more > 0) pieces.push(piece);
        return;
      }
      const object = pieces.length === 0 ? piece : Buffer.concat([...pieces, piece], length);
      const asked = lengths[index];
      pieces = [];
      gathered = 0;
      index++;
      if (length === asked) whole(index - 1, object);
    }
  }

  return {
    add(bytes) {
      const rest = coming ? bytes : addToHead(bytes);
      if (coming) addToObjects(rest, coming);
    },
    end() {
      if (!coming) throw headLength === 0 ? cut() : noAnswer();
      if (coming.slice(index).some((length) => length !== null)) throw cut();
    },
  };
}

/** More than was asked for of any one is not waited for. */
function lengthsIn(line: string, asked: readonly number[]): readonly (number | null)[] {
  let list: unknown;
  try {
    list = JSON.parse(line);
  } catch {
    throw noAnswer();
  }
  if (!Array.isArray(list) || list.length !== asked.length) throw noAnswer();
  const most = Math.max(...asked);
  return list.map((one: unknown) => {
    if (typeof one !== 'object' || one === null) throw noAnswer();
    const { length } = one as { readonly length?: unknown };
    if (length === undefined) return null;
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0 || length > most) throw noAnswer();
    return length;
  });
}

const noAnswer = (): MoveError => new MoveError('wrong_answer', 'The storage answered with other files than were asked for.');
const cut = (): MoveError => new MoveError('cut', 'The connection to the storage broke before all files had come.');
