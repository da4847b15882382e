/** An uploaded image that is not taken. The message is the end of a sentence that begins with "the image". */
export class ImageRefused extends Error {
  override readonly name = 'ImageRefused';
  readonly code = 'image_refused';
  readonly retryable = false;
}

/** A checked image: `bytes` holds what shows it, and nothing else of the file. Width and height in pixels. */
export interface CheckedImage {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml';
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}
