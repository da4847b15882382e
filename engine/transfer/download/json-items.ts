import { createByteBlocks } from '../../io/byte-blocks.ts';

/** Why a text is not a JSON list, as the end of a sentence. */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

/** Maximum bytes of one item. */
const longestItem = 1024 * 1024;

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const between = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c]);

/**
 * Takes a JSON list apart as its bytes come: to parse a long list as a whole would block the event loop, and its first
 * objects need not wait for the last.
 */
export interface JsonItems {
  /** Yields the objects that end in these bytes, which follow the ones before. Throws `NotAList`. */
  take(bytes: Buffer): Generator<unknown>;
  /** Whether the list has ended. */
  isWhole(): boolean;
}

export function createJsonItems(): JsonItems {
  const item = new ItemScanner();
  let list: 'before' | 'in' | 'after' = 'before';
  /** The received part of an item that continues in the next bytes. */
  let partial = createByteBlocks();
  return {
    *take(bytes) {
      for (let at = 0; at < bytes.length; ) {
        if (item.isOpen) {
          const end = item.endIn(bytes, at);
          const piece = bytes.subarray(at, end ?? bytes.length);
          at += piece.length;
          if (end === null) {
            if (partial.length + piece.length > longestItem) throw new NotAList(`one of its records is longer than ${longestItem} bytes`);
            partial.append(piece);
          } else if (partial.length === 0) yield parsed(piece);
          else {
            partial.append(piece);
            const whole = Buffer.concat([...partial.taken()]);
            partial = createByteBlocks();
            yield parsed(whole);
          }
          continue;
        }
        const byte = bytes[at++]!;
        if (between.has(byte)) continue;
        if (list === 'before' && byte === openBracket) list = 'in';
        else if (list === 'in' && byte === closeBracket) list = 'after';
        else if (list === 'in' && byte === openBrace) {
          item.open();
          at--;
        } else throw new NotAList('it is no list of files');
      }
    },
    isWhole: () => list === 'after',
  };
}

/** Finds the end of one object, which may lie in a later block than its beginning. */
class ItemScanner {
  #isOpen = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Begins at the next byte, the object's opening brace. */
  open(): void {
    this.#isOpen = true;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  /** The index after the object's last byte, which closes it; `null` if the block ends before. */
  endIn(block: Buffer, from: number): number | null {
    // Local variables, and a loop of its own for strings: this is done for every byte of a listing.
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let at = from;
    while (at < block.length) {
      if (escaped) {
        escaped = false;
        at++;
      } else if (inString) {
        while (at < block.length && block[at] !== quote && block[at] !== backslash) at++;
        if (at === block.length) break;
        escaped = block[at++] === backslash;
        inString = escaped;
      } else {
        const byte = block[at++];
        if (byte === quote) inString = true;
        else if (byte === openBrace || byte === openBracket) depth++;
        else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) {
          this.#isOpen = false;
          return at;
        }
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return null;
  }
}

function parsed(item: Buffer): unknown {
  try {
    return JSON.parse(item.toString('utf8'));
  } catch (cause) {
    throw new NotAList('its list of files is no JSON', { cause });
  }
}
