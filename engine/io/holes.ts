/**
 * Decides which blocks of zeros of a received file need not be written, so that a sparse file stays sparse if the disk
 * supports it. A block is skipped only if nothing has been written there yet: bytes of an earlier attempt are
 * overwritten.
 */
export interface Holes {
  /** The parts of a write that must be written; `null`: all of it. Either way they count as written from now on. */
  plan(buffers: readonly Buffer[], position: number): WritePlan | null;
}

interface WritePlan {
  readonly pieces: readonly { readonly buffers: readonly Buffer[]; readonly position: number }[];
  /** Minimum length of the file afterwards. */
  readonly end: number;
}

const smallestBlock = 64 * 1024;
const zeros = Buffer.alloc(smallestBlock);
/** Limits the map of blocks to 128 KiB, however large the file is. */
const mostBlocks = 1024 * 1024;

/**
 * @param size bytes that the file will have
 * @param existing bytes that the file has when it is opened, with unknown content
 */
export function createHoles(size: number, existing: number): Holes {
  let block = smallestBlock;
  while (size / block > mostBlocks) block *= 2;
  const written = new Uint8Array(Math.ceil(Math.ceil(size / block) / 8));
  const isWritten = (index: number): boolean => index * block < existing || ((written[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  const mark = (from: number, to: number): void => {
    for (let index = Math.floor(from / block); index * block < to; index++) written[index >> 3]! |= 1 << (index & 7);
  };

  /** Whether a whole block of zeros begins here, at a hole of the file. */
  const isHole = (buffer: Buffer, at: number, position: number): boolean =>
    at + block <= buffer.length &&
    buffer[at] === 0 &&
    buffer[at + block - 1] === 0 &&
    !isWritten(position / block) &&
    isZero(buffer, at, at + block);

  return {
    plan(buffers, position) {
      const pieces: { buffers: Buffer[]; position: number }[] = [];
      let holes = 0;
      let start = position;
      let open: { buffers: Buffer[]; position: number } | null = null;
      const keep = (bytes: Buffer, at: number): void => {
        if (bytes.length === 0) return;
        mark(at, at + bytes.length);
        open ??= pieces[pieces.push({ buffers: [], position: at }) - 1]!;
        open.buffers.push(bytes);
      };
      for (const buffer of buffers) {
        let dataStart = 0;
        let at = (block - (start % block)) % block;
        for (; at + block <= buffer.length; at += block) {
          if (!isHole(buffer, at, start + at)) continue;
          keep(buffer.subarray(dataStart, at), start + dataStart);
          open = null;
          dataStart = at + block;
          holes++;
        }
        keep(dataStart === 0 ? buffer : buffer.subarray(dataStart), start + dataStart);
        start += buffer.length;
      }
      return holes === 0 ? null : { pieces, end: start };
    },
  };
}

function isZero(buffer: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += zeros.length) if (zeros.compare(buffer, at, at + zeros.length) !== 0) return false;
  return true;
}
