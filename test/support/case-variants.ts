/** `count` names that are one where case is ignored. */
export function caseVariants(count: number): string[] {
  const letters = [...'abcdefghijklmnop'];
  return Array.from({ length: count }, (_, index) =>
    letters.map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
}
