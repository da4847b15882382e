const gibi = 2 ** 30;

/** `1 GiB`, `256 MiB`, `10 KiB`. */
export function sizeText(bytes: number): string {
  if (bytes >= gibi) return `${bytes / gibi} GiB`;
  return bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`;
}

/** A row of a table in Markdown. */
export const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
