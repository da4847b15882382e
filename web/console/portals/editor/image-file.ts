/** Longest side in pixels of a photograph that is made smaller: sharp on every screen that shows a background. */
const longestSide = 2_560;

/** A photograph that is larger than the service takes is made smaller, as WebP. Everything else is sent as it is. */
export async function shrunk(file: Blob, maxBytes: number): Promise<Blob> {
  if (file.size <= maxBytes || file.type === 'image/svg+xml') return file;
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
}

export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.readAsDataURL(file);
  });
}
