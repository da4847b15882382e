export const megabyte = 1_000_000;

/** Parses typed MB/s into bytes per second: 0 for empty input, `null` for invalid input. A comma is a decimal point too. */
export function limitOf(text: string): number | null {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return 0;
  const value = Number(trimmed);
  return Number.isFinite(value) && value > 0 && value <= 1_000_000 ? Math.max(1, Math.round(value * megabyte)) : null;
}
