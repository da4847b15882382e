import type { OpenFile } from './port.ts';

/** Reads until `length` bytes are read or the file ends; returns the number of bytes read. */
export async function readFully(file: OpenFile, buffer: Uint8Array, length: number, position: number): Promise<number> {
  let done = 0;
  while (done < length) {
    const count = await file.read(buffer, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** The same, synchronously. */
export function readFullyNow(file: OpenFile, buffer: Uint8Array, length: number, position: number): number {
  let done = 0;
  while (done < length) {
    const count = file.readNow(buffer, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Writes all buffers in sequence from `position` on. */
export async function writeFully(file: OpenFile, buffers: readonly Uint8Array[], position: number): Promise<void> {
  let left = buffers;
  for (let at = position; left.length > 0; ) {
    const written = await file.write(left, at);
    at += written;
    left = withoutFirst(left, written);
  }
}

/** The same, synchronously. */
export function writeFullyNow(file: OpenFile, buffers: readonly Uint8Array[], position: number): void {
  let left = buffers;
  for (let at = position; left.length > 0; ) {
    const written = file.writeNow(left, at);
    at += written;
    left = withoutFirst(left, written);
  }
}

/** The buffers without their first `count` bytes. */
export function withoutFirst(buffers: readonly Uint8Array[], count: number): Uint8Array[] {
  let skipped = count;
  let index = 0;
  while (index < buffers.length && skipped >= buffers[index]!.length) skipped -= buffers[index++]!.length;
  const rest = buffers.slice(index);
  if (skipped > 0 && rest.length > 0) rest[0] = rest[0]!.subarray(skipped);
  return rest;
}
