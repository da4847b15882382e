/** E-mail addresses, separated by commas, semicolons, spaces or lines, without duplicates. */
export function addressesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((value) => value !== ''))];
}

/** A basic check that finds typing mistakes; the service decides. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s\p{Cc}@<>"(),:;\\]+@[^\s\p{Cc}@<>"(),:;\\]+\.[^\s\p{Cc}@<>"(),:;\\]+$/u.test(text);
}
