import { limits } from '#protocol/limits.ts';
import { ImageRefused } from './image-refused.ts';

/**
 * Refuses dimensions that no page shows: a small file may describe an image that takes gigabytes once it is decoded.
 * Errors: `ImageRefused`.
 */
export function checkDimensions(width: number, height: number): void {
  if (!(width >= 1 && height >= 1)) throw new ImageRefused('has no area');
  if (width > limits.imageSide || height > limits.imageSide || width * height > limits.imagePixels) {
    throw new ImageRefused(
      `has ${width} × ${height} pixels; at most ${limits.imageSide} on a side are taken, and ${limits.imagePixels / 1_000_000} million in all`,
    );
  }
}
