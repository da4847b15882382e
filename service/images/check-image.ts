import { type CheckedImage, ImageRefused } from './image-refused.ts';
import { checkJpeg, isJpeg } from './jpeg.ts';
import { checkPng, isPng } from './png.ts';
import { checkSvg } from './svg/check-svg.ts';
import { checkWebp, isWebp } from './webp.ts';

/**
 * Finds out what an uploaded file is by its content, and makes it anew of the parts that show it: nothing that hides
 * before, between or behind them remains, so it cannot be read as a page, a script or an archive as well. Errors:
 * `ImageRefused`.
 */
export async function checkImage(bytes: Buffer): Promise<CheckedImage> {
  if (isPng(bytes)) return await checkPng(bytes);
  if (isJpeg(bytes)) return checkJpeg(bytes);
  if (isWebp(bytes)) return checkWebp(bytes);
  if (looksLikeMarkup(bytes)) return checkSvg(bytes);
  throw new ImageRefused('is neither PNG, JPEG, WebP nor SVG, whatever its name says');
}

const looksLikeMarkup = (bytes: Buffer): boolean => /^\uFEFF?\s*</.test(bytes.toString('utf8', 0, 256));
