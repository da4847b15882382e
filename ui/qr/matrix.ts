import { errorCorrection } from './error-correction.ts';

/**
 * QR codes (ISO/IEC 18004) of texts in UTF-8, with level M of error correction, which survives 15 % of damage. Made here,
 * since they are drawn for addresses and secrets that no other server should see.
 */

/** Codewords for error correction in each block, and blocks, by version from 1. */
const correction = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24] as const;
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10] as const;

const sizeOf = (version: number): number => 17 + 4 * version;

function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => sizeOf(version) - 7 - step * (count - 2 - index))];
}

/** Codewords that fit, of data and error correction together. */
function codewordsOf(version: number): number {
  const aligned = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const patterns = aligned === 0 ? 0 : (25 * aligned - 10) * aligned - 55;
  return Math.floor(((16 * version + 128) * version + 64 - patterns - (version >= 7 ? 36 : 0)) / 8);
}

const dataCodewords = (version: number): number => codewordsOf(version) - correction[version - 1]! * blockCounts[version - 1]!;

/** Bits of the length of the text. */
const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

/** Rows of dark modules. Throws `RangeError` for a text of more than about 400 bytes. */
export function qrMatrix(text: string): readonly (readonly boolean[])[] {
  const bytes = new TextEncoder().encode(text);
  const version = correction.findIndex((_, index) => 4 + lengthBits(index + 1) + bytes.length * 8 <= dataCodewords(index + 1) * 8) + 1;
  if (version === 0) throw new RangeError('The text is too long for a QR code.');
  const codewords = interleave(version, dataOf(version, bytes));
  const drawn = Array.from({ length: 8 }, (_, mask) => draw(version, codewords, mask));
  return drawn.reduce((best, one) => (penaltyOf(one) < penaltyOf(best) ? one : best));
}

function dataOf(version: number, bytes: Uint8Array): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const room = dataCodewords(version) * 8;
  push(0, Math.min(4, room - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let filler = 0xec; bits.length < room; filler ^= 0xec ^ 0x11) push(filler, 8);
  return Array.from({ length: bits.length / 8 }, (_, index) => bits.slice(index * 8, index * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0));
}

/** Splits the data into blocks, the shorter ones first, and takes from all of them in turn. */
function interleave(version: number, data: readonly number[]): number[] {
  const count = blockCounts[version - 1]!;
  const short = Math.floor(data.length / count);
  const longer = data.length % count;
  const startOf = (index: number): number => short * index + Math.max(0, index - (count - longer));
  const blocks = Array.from({ length: count }, (_, index) => data.slice(startOf(index), startOf(index + 1)));
  const checks = blocks.map((block) => errorCorrection(block, correction[version - 1]!));
  const inTurn = (lists: readonly (readonly number[])[]): number[] =>
    Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, index) =>
      lists.flatMap((list) => (index < list.length ? [list[index]!] : [])),
    ).flat();
  return [...inTurn(blocks), ...inTurn(checks)];
}

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function draw(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = sizeOf(version);
  const dark = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  /** Modules that hold no data. */
  const fixed = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const set = (x: number, y: number, value: boolean): void => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    dark[y]![x] = value;
    fixed[y]![x] = true;
  };
  const square = (x: number, y: number, reach: number, isDark: (distance: number) => boolean): void => {
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1) set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, (distance) => distance !== 2 && distance !== 4);
  const centres = alignmentCentres(version);
  const last = centres.at(-1);
  for (const x of centres) {
    for (const y of centres) {
      const isFinder = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
      if (!isFinder) square(x, y, 2, (distance) => distance !== 1);
    }
  }
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);
  drawData(dark, fixed, codewords, mask);
  return dark;
}

type SetModule = (x: number, y: number, value: boolean) => void;

/** Appends the remainder of a division by a polynomial, as format and version are protected. */
function protectedBits(value: number, degree: number, polynomial: number): number {
  let rest = value;
  for (let bit = 0; bit < degree; bit += 1) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * polynomial);
  return (value << degree) | rest;
}

function drawFormat(set: SetModule, size: number, mask: number): void {
  // Level M is 00.
  const bits = protectedBits(mask, 10, 0x537) ^ 0x5412;
  const bit = (at: number): boolean => ((bits >>> at) & 1) === 1;
  for (let at = 0; at <= 5; at += 1) set(8, at, bit(at));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let at = 9; at < 15; at += 1) set(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at += 1) set(size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at += 1) set(8, size - 15 + at, bit(at));
  set(8, size - 8, true);
}

function drawVersion(set: SetModule, size: number, version: number): void {
  const bits = protectedBits(version, 12, 0x1f25);
  for (let at = 0; at < 18; at += 1) {
    const value = ((bits >>> at) & 1) === 1;
    const [near, far] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(near, far, value);
    set(far, near, value);
  }
}

/** In columns of two from the right, up and down in turn. */
function drawData(dark: boolean[][], fixed: readonly (readonly boolean[])[], codewords: readonly number[], mask: number): void {
  const size = dark.length;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (fixed[y]![x]) continue;
        const value = bit < codewords.length * 8 && ((codewords[bit >>> 3]! >>> (7 - (bit & 7))) & 1) === 1;
        bit += 1;
        dark[y]![x] = value !== masks[mask]!(x, y);
      }
    }
  }
}

/** How hard a code is to read: long runs, blocks of one colour, what looks like a finder, and an uneven share of dark. */
function penaltyOf(dark: readonly (readonly boolean[])[]): number {
  const size = dark.length;
  const columns = dark.map((_, x) => dark.map((row) => row[x]!));
  let penalty = 0;
  for (const line of [...dark, ...columns]) {
    const text = line.map((one) => (one ? '1' : '0')).join('');
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    penalty += 40 * (text.match(/(?=00001011101|10111010000)/g)?.length ?? 0);
  }
  for (let y = 0; y < size - 1; y += 1) {
    for (let x = 0; x < size - 1; x += 1) {
      const first = dark[y]![x];
      if (dark[y]![x + 1] === first && dark[y + 1]![x] === first && dark[y + 1]![x + 1] === first) penalty += 3;
    }
  }
  const share = dark.flat().filter(Boolean).length / size ** 2;
  return penalty + 10 * Math.floor(Math.abs(share * 100 - 50) / 5);
}
