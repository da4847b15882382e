import { inflateRawSync } from 'node:zlib';

/** What is in a zip whose entries were made from buffers, by its local headers. */
export function unzipped(zip: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  for (let offset = 0; zip.readUInt32LE(offset) === 0x04034b50; ) {
    const [size, name, extra] = [zip.readUInt32LE(offset + 18), zip.readUInt16LE(offset + 26), zip.readUInt16LE(offset + 28)];
    const start = offset + 30 + name + extra;
    const bytes = zip.subarray(start, start + size);
    const text = zip.readUInt16LE(offset + 8) === 8 ? inflateRawSync(bytes) : bytes;
    entries.set(zip.subarray(offset + 30, offset + 30 + name).toString(), text);
    offset = start + size;
  }
  return entries;
}
