import type { ZipEntry } from './entry.ts';
import type { ZipFlavour } from './names.ts';

/**
 * The records of a zip file (PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5): uncompressed, names in UTF-8, Zip64 if a number
 * requires it, and times in seconds (Info-ZIP's extended timestamp). A file's checksum is always in a data descriptor
 * after its bytes, because it may be unknown before. So a zip's bytes do not depend on which checksums are known.
 */

const max32 = 0xffff_ffff;
const max16 = 0xffff;
const zip64Version = 45;
const plainVersion = 20;
const utf8 = 1 << 11;
const checksumFollows = 1 << 3;

const isBig = (value: number): boolean => value >= max32;
const described = (entry: ZipEntry): boolean => entry.size > 0;

/** Seconds since 1970; null if they do not fit into a signed 32-bit number. */
function unixSeconds(modified: Date | null): number | null {
  const seconds = modified === null ? Number.NaN : Math.floor(modified.getTime() / 1000);
  return seconds >= -(2 ** 31) && seconds < 2 ** 31 ? seconds : null;
}

const timeFieldSize = (entry: ZipEntry): number => (unixSeconds(entry.modified) === null ? 0 : 9);

function writeTimeField(record: Buffer, at: number, modified: Date | null): number {
  const seconds = unixSeconds(modified);
  if (seconds === null) return at;
  at = record.writeUInt16LE(0x5455, at);
  at = record.writeUInt16LE(5, at);
  at = record.writeUInt8(1, at);
  return record.writeInt32LE(seconds, at);
}

/** MS-DOS date and time, UTC, from 1980 to 2107. */
function dosTime(modified: Date | null): { readonly date: number; readonly time: number } {
  const year = modified?.getUTCFullYear() ?? 0;
  if (modified === null || year < 1980) return { date: (1 << 5) | 1, time: 0 };
  if (year > 2107) return { date: (127 << 9) | (12 << 5) | 31, time: (23 << 11) | (59 << 5) | 29 };
  return {
    date: ((year - 1980) << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate(),
    time: (modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | (modified.getUTCSeconds() >> 1),
  };
}

const localZip64Size = (entry: ZipEntry): number => (isBig(entry.size) ? 20 : 0);

export const localHeaderSize = (entry: ZipEntry): number => 30 + entry.name.length + localZip64Size(entry) + timeFieldSize(entry);

export function localHeader(entry: ZipEntry): Buffer {
  const record = Buffer.alloc(localHeaderSize(entry));
  const { date, time } = dosTime(entry.modified);
  record.writeUInt32LE(0x04034b50, 0);
  record.writeUInt16LE(isBig(entry.size) ? zip64Version : plainVersion, 4);
  record.writeUInt16LE(utf8 | (described(entry) ? checksumFollows : 0), 6);
  record.writeUInt16LE(time, 10);
  record.writeUInt16LE(date, 12);
  // Checksum and sizes are zero here: they follow the bytes.
  if (isBig(entry.size)) {
    record.writeUInt32LE(max32, 18);
    record.writeUInt32LE(max32, 22);
  }
  record.writeUInt16LE(entry.name.length, 26);
  record.writeUInt16LE(localZip64Size(entry) + timeFieldSize(entry), 28);
  let at = 30 + entry.name.copy(record, 30);
  if (isBig(entry.size)) {
    at = record.writeUInt16LE(1, at);
    at = record.writeUInt16LE(16, at);
    at += 16;
  }
  writeTimeField(record, at, entry.modified);
  return record;
}

export const descriptorSize = (entry: ZipEntry): number => (described(entry) ? (isBig(entry.size) ? 24 : 16) : 0);

export function descriptor(entry: ZipEntry, checksum: number): Buffer {
  const record = Buffer.alloc(descriptorSize(entry));
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(checksum, 4);
  if (isBig(entry.size)) {
    record.writeBigUInt64LE(BigInt(entry.size), 8);
    record.writeBigUInt64LE(BigInt(entry.size), 16);
  } else {
    record.writeUInt32LE(entry.size, 8);
    record.writeUInt32LE(entry.size, 12);
  }
  return record;
}

const centralZip64Size = (entry: ZipEntry, offset: number): number => {
  const bytes = (isBig(entry.size) ? 16 : 0) + (isBig(offset) ? 8 : 0);
  return bytes === 0 ? 0 : 4 + bytes;
};

export const centralHeaderSize = (entry: ZipEntry, offset: number): number =>
  46 + entry.name.length + centralZip64Size(entry, offset) + timeFieldSize(entry);

const hosts = { zip_windows: 0, zip_mac: 3 } as const;
const modes = { file: 0o100644, directory: 0o040755 } as const;
const dosDirectory = 0x10;

export function centralHeader(flavour: ZipFlavour, entry: ZipEntry, offset: number, checksum: number): Buffer {
  const record = Buffer.alloc(centralHeaderSize(entry, offset));
  const { date, time } = dosTime(entry.modified);
  const zip64 = centralZip64Size(entry, offset);
  const version = zip64 > 0 ? zip64Version : plainVersion;
  const unix = flavour === 'zip_mac' ? modes[entry.directory ? 'directory' : 'file'] : 0;
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE((hosts[flavour] << 8) | version, 4);
  record.writeUInt16LE(version, 6);
  record.writeUInt16LE(utf8 | (described(entry) ? checksumFollows : 0), 8);
  record.writeUInt16LE(time, 12);
  record.writeUInt16LE(date, 14);
  record.writeUInt32LE(checksum, 16);
  record.writeUInt32LE(Math.min(entry.size, max32), 20);
  record.writeUInt32LE(Math.min(entry.size, max32), 24);
  record.writeUInt16LE(entry.name.length, 28);
  record.writeUInt16LE(zip64 + timeFieldSize(entry), 30);
  record.writeUInt32LE(((unix << 16) | (entry.directory ? dosDirectory : 0)) >>> 0, 38);
  record.writeUInt32LE(Math.min(offset, max32), 42);
  let at = 46 + entry.name.copy(record, 46);
  if (zip64 > 0) {
    at = record.writeUInt16LE(1, at);
    at = record.writeUInt16LE(zip64 - 4, at);
    if (isBig(entry.size)) {
      at = record.writeBigUInt64LE(BigInt(entry.size), at);
      at = record.writeBigUInt64LE(BigInt(entry.size), at);
    }
    if (isBig(offset)) at = record.writeBigUInt64LE(BigInt(offset), at);
  }
  writeTimeField(record, at, entry.modified);
  return record;
}

const needsZip64 = (count: number, offset: number, size: number): boolean => count >= max16 || isBig(offset) || isBig(size);

export const endSize = (count: number, offset: number, size: number): number => (needsZip64(count, offset, size) ? 56 + 20 : 0) + 22;

/** The end records of a zip with `count` entries, whose central directory of `size` bytes begins at `offset`. */
export function end(count: number, offset: number, size: number): Buffer {
  const record = Buffer.alloc(endSize(count, offset, size));
  let at = 0;
  if (needsZip64(count, offset, size)) {
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(44n, 4);
    record.writeUInt16LE(zip64Version, 12);
    record.writeUInt16LE(zip64Version, 14);
    record.writeBigUInt64LE(BigInt(count), 24);
    record.writeBigUInt64LE(BigInt(count), 32);
    record.writeBigUInt64LE(BigInt(size), 40);
    record.writeBigUInt64LE(BigInt(offset), 48);
    record.writeUInt32LE(0x07064b50, 56);
    record.writeBigUInt64LE(BigInt(offset + size), 64);
    record.writeUInt32LE(1, 72);
    at = 76;
  }
  record.writeUInt32LE(0x06054b50, at);
  record.writeUInt16LE(Math.min(count, max16), at + 8);
  record.writeUInt16LE(Math.min(count, max16), at + 10);
  record.writeUInt32LE(Math.min(size, max32), at + 12);
  record.writeUInt32LE(Math.min(offset, max32), at + 16);
  return record;
}
