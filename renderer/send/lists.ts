/** E-mail addresses, parted by commas, semicolons, spaces or lines, each once. */
export function addressesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((value) => value !== ''))];
}

/** Enough to tell an address from a slip of the hand; the service has the last word. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s\p{Cc}@<>"(),:;\\]+@[^\s\p{Cc}@<>"(),:;\\]+\.[^\s\p{Cc}@<>"(),:;\\]+$/u.test(text);
}
