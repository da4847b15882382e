/**
 * The two files that hold an icon in several sizes. Both are containers of PNG pictures:
 * ICO (Windows, PNG entries since Vista) and ICNS (macOS, PNG entries since 10.7).
 */

/** A picture and the pixels of its side. */
export interface Picture {
  readonly side: number;
  readonly png: Uint8Array;
}

const headerSize = 6;
const entrySize = 16;

/** An ICO: a header, one entry of 16 bytes for each picture, and the pictures. Little-endian; a side of 256 is written as 0. */
export function icoOf(pictures: readonly Picture[]): Uint8Array {
  const head = new DataView(new ArrayBuffer(headerSize + entrySize * pictures.length));
  head.setUint16(2, 1, true);
  head.setUint16(4, pictures.length, true);
  let at = head.byteLength;
  for (const [index, { side, png }] of pictures.entries()) {
    if (side > 256) throw new RangeError(`An ICO holds pictures of up to 256 pixels, not of ${side}.`);
    const entry = headerSize + entrySize * index;
    head.setUint8(entry, side % 256);
    head.setUint8(entry + 1, side % 256);
    head.setUint16(entry + 4, 1, true);
    head.setUint16(entry + 6, 32, true);
    head.setUint32(entry + 8, png.byteLength, true);
    head.setUint32(entry + 12, at, true);
    at += png.byteLength;
  }
  return joined([new Uint8Array(head.buffer), ...pictures.map((one) => one.png)]);
}

/** Types of ICNS elements by the pixels of their picture; those with two are for screens of simple and double density. */
const icnsTypes: Readonly<Record<number, readonly string[]>> = {
  16: ['icp4'],
  32: ['icp5', 'ic11'],
  64: ['icp6', 'ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
};

/** An ICNS: its magic and length, then each picture with its type and length. Big-endian; lengths count their own head. */
export function icnsOf(pictures: readonly Picture[]): Uint8Array {
  const elements = pictures.flatMap(({ side, png }) => {
    const types = icnsTypes[side];
    if (!types) throw new RangeError(`An ICNS holds no pictures of ${side} pixels.`);
    return types.map((type) => joined([headOf(type, png.byteLength), png]));
  });
  const body = joined(elements);
  return joined([headOf('icns', body.byteLength), body]);
}

function headOf(type: string, length: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(8));
  for (const [index, character] of [...type].entries()) head.setUint8(index, character.charCodeAt(0));
  head.setUint32(4, 8 + length);
  return new Uint8Array(head.buffer);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
