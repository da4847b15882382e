/** A disk on which only so many more bytes can be written. Like a real one, it takes what fits before it refuses. */
export class LimitedSpace {
  #left = Number.POSITIVE_INFINITY;

  /** Infinite without a limit. */
  get left(): number {
    return this.#left;
  }

  limit(bytes: number): void {
    this.#left = bytes;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }

  /** What fits of the buffers, which then counts as written; `null` where nothing does. */
  take(buffers: readonly Uint8Array[]): readonly Uint8Array[] | null {
    const size = sizeOf(buffers);
    if (size > 0 && this.#left <= 0) return null;
    const taken = Math.min(size, this.#left);
    this.#left -= taken;
    return taken === size ? buffers : first(buffers, taken);
  }
}

export const sizeOf = (buffers: readonly Uint8Array[]): number => buffers.reduce((sum, { length }) => sum + length, 0);

function first(buffers: readonly Uint8Array[], count: number): Uint8Array[] {
  const held: Uint8Array[] = [];
  let left = count;
  for (const buffer of buffers) {
    if (left <= 0) break;
    held.push(buffer.subarray(0, left));
    left -= buffer.length;
  }
  return held;
}
