import { checkDimensions } from './dimensions.ts';
import { type CheckedImage, ImageRefused } from './image-refused.ts';

export const isWebp = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';

const damaged = (what: string): ImageRefused => new ImageRefused(`is a damaged WebP: ${what}`);

/**
 * Checks a WebP chunk by chunk. What a camera or program wrote is left out, and profiles; moving pictures are refused.
 * Errors: `ImageRefused`.
 */
export function checkWebp(bytes: Buffer): CheckedImage {
  const chunks = readChunks(bytes);
  if (chunks.has('ANIM') || chunks.has('ANMF')) throw new ImageRefused('moves; only still images are taken');
  const [lossy, lossless, alpha] = [chunks.get('VP8 '), chunks.get('VP8L'), chunks.get('ALPH')];
  const picture = lossy ?? lossless;
  if (!picture || (lossy && lossless)) throw damaged('it has no picture');
  const size = lossy ? sizeOfLossy(lossy) : sizeOfLossless(lossless!);
  checkDimensions(size.width, size.height);
  const kept =
    lossy && alpha
      ? [chunk('VP8X', extendedHeader(size.width, size.height)), chunk('ALPH', alpha), chunk('VP8 ', lossy)]
      : [chunk(lossy ? 'VP8 ' : 'VP8L', picture)];
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...kept]);
  return { type: 'image/webp', ...size, bytes: chunk('RIFF', body) };
}

/** The chunks by their names; of several with one name, the first. What follows the stated length is not read. */
function readChunks(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length + 1) throw damaged('it is cut off');
  for (let at = 12; at + 8 <= Math.min(end, bytes.length); ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > bytes.length) throw damaged('it is cut off');
    if (!chunks.has(name)) chunks.set(name, bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return chunks;
}

/** The dimensions of a key frame (RFC 6386, section 9.1). */
function sizeOfLossy(data: Buffer): { width: number; height: number } {
  if (data.length < 10 || (data[0]! & 1) !== 0 || data.readUIntBE(3, 3) !== 0x9d012a) throw damaged('its picture has no beginning');
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

function sizeOfLossless(data: Buffer): { width: number; height: number } {
  if (data.length < 5 || data[0] !== 0x2f) throw damaged('its picture has no beginning');
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** The header of a picture with transparency, and with nothing else that is out of the ordinary. */
function extendedHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(10);
  header[0] = 0x10;
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  return header;
}

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
