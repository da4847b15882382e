import { crc32, deflateSync } from 'node:zlib';

/** Images written by hand, so that each can be wrong in one place. */

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

interface PngFields {
  readonly width?: number;
  readonly height?: number;
  /** Bit depth, colour type, compression, filter and interlace. */
  readonly how?: readonly number[];
  /** Before they are packed. */
  readonly pixels?: Buffer;
  /** Chunks between header and pixels. */
  readonly extra?: readonly Buffer[];
}

/** A PNG of 8-bit grey, whose shade tells it from others. */
export function png({ width = 2, height = 2, how = [8, 0, 0, 0, 0], pixels, extra = [] }: PngFields = {}, shade = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(how, 8);
  const rows = Array.from({ length: Math.min(height, 64) }, () => [0, ...Array<number>(Math.min(width, 64)).fill(shade)]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', deflateSync(pixels ?? Buffer.from(rows.flat()))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export const jpegSegment = (marker: number, data: Buffer | readonly number[]): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, Buffer.from(data)]);
};

/** What a camera notes, with the place and how it was held. */
export const cameraNotes = (orientation: number): Buffer =>
  jpegSegment(
    0xe1,
    Buffer.concat([
      Buffer.from('Exif\0\0II*\0', 'latin1'),
      Buffer.from([
        8,
        0,
        0,
        0,
        2,
        0,
        0x0f,
        0x01,
        2,
        0,
        4,
        0,
        0,
        0,
        65,
        66,
        67,
        0,
        0x12,
        0x01,
        3,
        0,
        1,
        0,
        0,
        0,
        orientation,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
      ]),
      Buffer.from('GPS 53.5 N 9.9 E'),
    ]),
  );

/** A JPEG of the right structure. Its scan is no picture: nobody decodes it here. */
export function jpeg({ width = 640, height = 480, extra = [] as readonly Buffer[], scans = 1 } = {}): Buffer {
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  const scan = Buffer.concat([jpegSegment(0xda, [1, 1, 0, 0, 63, 0]), Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56])]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...extra,
    jpegSegment(0xdb, Buffer.alloc(65)),
    jpegSegment(0xc0, frame),
    jpegSegment(0xc4, Buffer.alloc(20)),
    ...Array.from({ length: scans }, () => scan),
    Buffer.from([0xff, 0xd9]),
  ]);
}

export function riffChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A lossy WebP picture of this size; only its header is real. */
export const webpPicture = (width: number, height: number): Buffer =>
  riffChunk('VP8 ', Buffer.from([0x10, 0, 0, 0x9d, 0x01, 0x2a, width & 255, width >> 8, height & 255, height >> 8, 1, 2, 3]));

export const webp = (...chunks: readonly Buffer[]): Buffer => riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
