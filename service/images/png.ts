import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflate } from 'node:zlib';
import { checkDimensions } from './dimensions.ts';
import { type CheckedImage, ImageRefused } from './image-refused.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, signature.length).equals(signature);

/** What decides how a PNG looks. Texts, times, previews, profiles and the frames of an animation are left out. */
const kept: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'pHYs', 'IDAT', 'IEND']);

/** Samples per pixel by colour type, with the bit depths that each may have (PNG, section 11.2.1). */
const colours: Readonly<Record<number, { readonly samples: number; readonly depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

/** The passes of an interlaced image: first column and row, and the steps between them. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Checks a PNG chunk by chunk, and its pixels by unpacking them. Errors: `ImageRefused`. */
export async function checkPng(bytes: Buffer): Promise<CheckedImage> {
  const chunks = readChunks(bytes);
  const header = chunks[0];
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.filter(({ type }) => type === 'IHDR').length !== 1) {
    throw new ImageRefused('is a damaged PNG: its header is missing');
  }
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  checkDimensions(width, height);
  const [depth, colour, compression, filter, interlace] = header.data.subarray(8);
  const samples = colours[colour!];
  if (!samples?.depths.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1) {
    throw new ImageRefused('is a damaged PNG: its header cannot be');
  }
  if (colour === 3 && !chunks.some(({ type }) => type === 'PLTE')) throw new ImageRefused('is a damaged PNG: its palette is missing');
  const pixels = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const bits = samples.samples * depth!;
  await checkPixels(pixels, interlace === 1 ? interlacedSize(width, height, bits) : passSize(width, height, bits));
  return { type: 'image/png', width, height, bytes: Buffer.concat([signature, ...chunks.map(({ whole }) => whole)]) };
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly whole: Buffer;
}

/** The chunks that are kept, up to the end of the image; what follows it is left out. */
function readChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = signature.length; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (at + 12 + length > bytes.length) break;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const whole = bytes.subarray(at, at + 12 + length);
    if (crc32(whole.subarray(4, 8 + length)) !== whole.readUInt32BE(8 + length)) {
      throw new ImageRefused('is a damaged PNG: a checksum is wrong');
    }
    if (kept.has(type)) chunks.push({ type, data: whole.subarray(8, 8 + length), whole });
    else if (/^[A-Z]/.test(type)) throw new ImageRefused(`is a PNG with a part that is not known (${type.replaceAll(/[^A-Za-z]/g, '?')})`);
    if (type === 'IEND') return chunks;
    at += whole.length;
  }
  throw new ImageRefused('is a damaged PNG: its end is missing');
}

const passSize = (width: number, height: number, bits: number): number =>
  width === 0 || height === 0 ? 0 : height * (1 + Math.ceil((width * bits) / 8));

const interlacedSize = (width: number, height: number, bits: number): number =>
  adam7
    .map(([x, y, across, down]) => passSize(Math.ceil(Math.max(0, width - x) / across), Math.ceil(Math.max(0, height - y) / down), bits))
    .reduce((a, b) => a + b);

/** Unpacks the pixels without keeping them. There have to be exactly as many bytes as the header says. */
async function checkPixels(pieces: readonly Buffer[], expected: number): Promise<void> {
  let unpacked = 0;
  const count = new Writable({
    write(piece: Buffer, _, done) {
      unpacked += piece.length;
      done(unpacked > expected ? new ImageRefused('is a PNG that holds more than its header says') : null);
    },
  });
  try {
    await pipeline(Readable.from(pieces), createInflate(), count);
  } catch (error) {
    throw error instanceof ImageRefused ? error : new ImageRefused('is a damaged PNG: its pixels cannot be unpacked', { cause: error });
  }
  if (unpacked !== expected) throw new ImageRefused('is a damaged PNG: it holds less than its header says');
}
