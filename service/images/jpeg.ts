import { checkDimensions } from './dimensions.ts';
import { type CheckedImage, ImageRefused } from './image-refused.ts';

export const isJpeg = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** Progressive images have about ten; thousands would keep a browser busy. */
const maxScans = 64;

const damaged = (what: string): ImageRefused => new ImageRefused(`is a damaged JPEG: ${what}`);

/** What decides how a JPEG looks: tables, frame, restart interval, and how Adobe stores colours. */
const isKept = (marker: number): boolean => marker === 0xdb || marker === 0xc4 || marker === 0xdd || marker === 0xee;
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xc2;

/**
 * Checks a JPEG segment by segment. Comments, previews, profiles, and all that a camera wrote (its place and time, too)
 * are left out, but for the orientation. Errors: `ImageRefused`.
 */
export function checkJpeg(bytes: Buffer): CheckedImage {
  const out: Buffer[] = [bytes.subarray(0, 2)];
  let size: { readonly width: number; readonly height: number } | null = null;
  let scans = 0;
  for (let at = 2; ; ) {
    if (bytes[at] !== 0xff) throw damaged('a marker is missing');
    // Any number of fill bytes may stand before a marker.
    while (bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    if (marker === undefined) throw damaged('its end is missing');
    if (marker === 0xd9) break;
    const end = at + 2 + (at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0);
    if (end < at + 4 || end > bytes.length) throw damaged('it is cut off');
    const segment = bytes.subarray(at, end);
    at = end;
    if (isFrame(marker)) {
      if (size) throw damaged('it has two frames');
      if (segment.length < 10) throw damaged('its frame is cut off');
      size = { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) };
      checkDimensions(size.width, size.height);
      out.push(segment);
    } else if (marker === 0xda) {
      scans += 1;
      if (!size) throw damaged('its frame is missing');
      if (scans > maxScans) throw new ImageRefused(`has more than ${maxScans} scans`);
      at = endOfScan(bytes, end);
      out.push(segment, bytes.subarray(end, at));
    } else if (isKept(marker)) out.push(segment);
    else if (marker === 0xe1) out.push(...orientationOf(segment));
    else if (!(marker >= 0xe0 && marker <= 0xef) && marker !== 0xfe)
      throw new ImageRefused('is a JPEG of a kind that browsers do not show');
  }
  if (!size || scans === 0) throw damaged('it has no picture');
  return { type: 'image/jpeg', ...size, bytes: Buffer.concat([...out, Buffer.from([0xff, 0xd9])]) };
}

/** Where a scan's data ends: at the first marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    at = bytes.indexOf(0xff, at);
    const next = at < 0 ? undefined : bytes[at + 1];
    if (next === undefined) throw damaged('its end is missing');
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
}

/** The segment that says no more than how a camera was held; none where it was held upright. */
function orientationOf(segment: Buffer): Buffer[] {
  const tiff = segment.subarray(10);
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0' || tiff.length < 10) return [];
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return [];
  for (let entry = 0; entry < short(directory); entry += 1) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > tiff.length) return [];
    if (short(at) !== 0x0112) continue;
    const orientation = short(at + 8);
    return orientation >= 2 && orientation <= 8 ? [exifWith(orientation)] : [];
  }
  return [];
}

const exifWith = (orientation: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xe1, 0, 34]),
    Buffer.from('Exif\0\0MM\0*', 'latin1'),
    // One directory at 8, with one entry of type SHORT, and no further directory.
    Buffer.from([0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
  ]);
