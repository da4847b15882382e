/** E-mail addresses, separated by commas, semicolons, spaces or lines, without duplicates. */
export function addressesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((value) => value !== ''))];
}
