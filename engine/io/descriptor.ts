import * as fs from 'node:fs';

/**
 * Positioned reads and writes on a file descriptor, as promises. Descriptors and callbacks, since a
 * `FileHandle` costs twice the CPU at a mebibyte a call.
 */

export function openDescriptor(path: string, flags: number, mode?: number): Promise<number> {
  return new Promise((resolve, reject) => fs.open(path, flags, mode, (error, fd) => (error ? reject(error) : resolve(fd))));
}

export function closeDescriptor(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.close(fd, (error) => (error ? reject(error) : resolve())));
}

export function statDescriptor(fd: number): Promise<fs.Stats> {
  return new Promise((resolve, reject) => fs.fstat(fd, (error, stats) => (error ? reject(error) : resolve(stats))));
}

export function syncDescriptor(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fs.fsync(fd, (error) => (error ? reject(error) : resolve())));
}

export function truncateDescriptor(fd: number, size: number): Promise<void> {
  return new Promise((resolve, reject) => fs.ftruncate(fd, size, (error) => (error ? reject(error) : resolve())));
}

/** Sets the time of access and of change, in seconds since 1970 (`secondsOf`). */
export function timesOfDescriptor(fd: number, seconds: string): Promise<void> {
  return new Promise((resolve, reject) => fs.futimes(fd, seconds, seconds, (error) => (error ? reject(error) : resolve())));
}

/** Reads until `length` bytes are read or the file ends; returns the number of bytes read. */
export async function readFully(fd: number, buffer: Buffer, length: number, position: number): Promise<number> {
  let done = 0;
  while (done < length) {
    const count = await readSome(fd, buffer, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function readSome(fd: number, buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) =>
    fs.read(fd, buffer, offset, length, position, (error, count) => (error ? reject(error) : resolve(count))),
  );
}

/** Writes all buffers in sequence from `position` on. */
export async function writeFully(fd: number, buffers: readonly Buffer[], position: number): Promise<void> {
  let left: readonly Buffer[] = buffers;
  let at = position;
  while (left.length > 0) {
    const written = await writeSome(fd, left, at);
    at += written;
    left = without(left, written);
  }
}

/** The same, synchronously. */
export function writeFullyNow(fd: number, buffers: readonly Buffer[], position: number): void {
  let left: readonly Buffer[] = buffers;
  for (let at = position; left.length > 0; ) {
    const written = fs.writevSync(fd, left as Buffer[], at);
    at += written;
    left = without(left, written);
  }
}

function writeSome(fd: number, buffers: readonly Buffer[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, count: number | undefined): void => (error ? reject(error) : resolve(count ?? 0));
    if (buffers.length === 1) fs.write(fd, buffers[0]!, 0, buffers[0]!.length, position, done);
    else fs.writev(fd, buffers as Buffer[], position, done);
  });
}

function without(buffers: readonly Buffer[], count: number): readonly Buffer[] {
  let skipped = count;
  let index = 0;
  while (index < buffers.length && skipped >= buffers[index]!.length) skipped -= buffers[index++]!.length;
  const rest = buffers.slice(index);
  if (skipped > 0 && rest.length > 0) rest[0] = rest[0]!.subarray(skipped);
  return rest;
}
