/** Why a text is not a JSON list, as the end of a sentence. */
export class NotAList extends Error {
  override readonly name = 'NotAList';
}

/** Maximum bytes of one item. */
const longestItem = 1024 * 1024;

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const between = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c]);

/**
 * Yields the objects of a JSON list one by one from its bytes in blocks: to parse a long list as a whole would block
 * the event loop. Throws `NotAList`.
 */
export function* jsonItems(blocks: Iterable<Buffer>): Generator<unknown> {
  let depth = 0;
  let ended = false;
  let inString = false;
  let escaped = false;
  /** The received part of an item that continues in the next block. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for (const block of blocks) {
    let start = depth > 1 ? 0 : -1;
    for (let at = 0; at < block.length; at++) {
      const byte = block[at]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (depth > 1) {
        if (byte === quote) inString = true;
        else if (byte === openBrace || byte === openBracket) depth++;
        else if ((byte === closeBrace || byte === closeBracket) && --depth === 1) {
          yield parsed(Buffer.concat([...begun, block.subarray(start, at + 1)]));
          begun = [];
          begunBytes = 0;
          start = -1;
        }
      } else if (!between.has(byte)) {
        if (depth === 0 && !ended && byte === openBracket) depth = 1;
        else if (depth === 1 && byte === openBrace) [depth, start] = [2, at];
        else if (depth === 1 && byte === closeBracket) [depth, ended] = [0, true];
        else throw new NotAList('it is no list of files');
      }
    }
    if (start === -1) continue;
    begunBytes += block.length - start;
    if (begunBytes > longestItem) throw new NotAList(`one of its records is longer than ${longestItem} bytes`);
    begun.push(block.subarray(start));
  }
  if (!ended) throw new NotAList('its list of files ends too early');
}

function parsed(item: Buffer): unknown {
  try {
    return JSON.parse(item.toString('utf8'));
  } catch (cause) {
    throw new NotAList('its list of files is no JSON', { cause });
  }
}
