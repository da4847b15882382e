/** What was downloaded, as both APIs tell it (contract/links.md §6). */
interface Downloaded {
  readonly whole: boolean;
  readonly files: number;
  readonly more: boolean;
  readonly names: readonly string[];
}

export interface DownloadedTexts {
  readonly whole: string;
  moreThan(files: string): string;
  /** The first names, of more files than have one here. */
  some(files: string, names: string): string;
}

/** `all of it as a zip`, `notes.txt`, `12 files: a.mov, b.mov, c.mov …`, `more than 20 files`. */
export function downloadedText(
  { whole, files, more, names }: Downloaded,
  texts: DownloadedTexts,
  count: (files: number) => string,
): string {
  if (whole) return texts.whole;
  if (more) return texts.moreThan(count(files));
  // Names go with their files when the package is over.
  if (names.length === 0) return count(files);
  return names.length === files ? names.join(', ') : texts.some(count(files), names.join(', '));
}
