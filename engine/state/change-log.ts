import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { systemCode } from '../errors.ts';

/**
 * Checks SQLite's write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log) before it is written to. On
 * opening, SQLite reads the log up to the first frame with a wrong checksum and silently ignores the rest, since the
 * end of a log looks like this after a power failure. A killed process never leaves a wrong frame in the middle.
 */

const headerBytes = 32;
const frameHeaderBytes = 24;
/** The two kinds of checksum, by byte order. */
const littleEndian = 0x377f0682;
const bigEndian = 0x377f0683;

interface Sum {
  readonly a: number;
  readonly b: number;
}

function checksum({ a, b }: Sum, bytes: Buffer, from: number, to: number, little: boolean): Sum {
  let [first, second] = [a, b];
  for (let at = from; at < to; at += 8) {
    first = (first + (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)) + second) >>> 0;
    second = (second + (little ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4)) + first) >>> 0;
  }
  return { a: first, b: second };
}

const sumAt = (bytes: Buffer, at: number): Sum => ({ a: bytes.readUInt32BE(at), b: bytes.readUInt32BE(at + 4) });
const same = (one: Sum, other: Sum): boolean => one.a === other.a && one.b === other.b;

/**
 * Whether SQLite would ignore changes after a damaged place: the log's head is wrong, or a wrong frame is followed by
 * frames of the same log. Damage in the last frame is the same as a torn end. A missing or empty file is undamaged.
 */
export function isLogDamaged(path: string): boolean {
  let log: number;
  try {
    log = openSync(path, 'r');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return false;
    throw cause;
  }
  try {
    return isDamaged(log, fstatSync(log).size);
  } finally {
    closeSync(log);
  }
}

function isDamaged(log: number, size: number): boolean {
  if (size < headerBytes) return false;
  const header = Buffer.alloc(headerBytes);
  readSync(log, header, 0, headerBytes, 0);
  // Never written, or lost by the disk: nothing can be learned from it.
  if (header.every((byte) => byte === 0)) return false;
  const magic = header.readUInt32BE(0);
  const little = magic === littleEndian;
  let sum = checksum({ a: 0, b: 0 }, header, 0, 24, little);
  if ((!little && magic !== bigEndian) || !same(sum, sumAt(header, 24))) return size > headerBytes;
  const pageSize = header.readUInt32BE(8);
  const salts = sumAt(header, 16);
  const frame = Buffer.alloc(frameHeaderBytes + pageSize);
  let broken = false;
  for (let at = headerBytes; at + frame.length <= size; at += frame.length) {
    readSync(log, frame, 0, broken ? frameHeaderBytes : frame.length, at);
    // Frames of an earlier log behind the end of this one have other salts.
    const ours = same(sumAt(frame, 8), salts);
    if (broken) {
      if (ours) return true;
      continue;
    }
    sum = checksum(checksum(sum, frame, 0, 8, little), frame, frameHeaderBytes, frame.length, little);
    broken = !ours || !same(sum, sumAt(frame, 16));
  }
  return false;
}
