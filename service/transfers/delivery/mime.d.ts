/** The part of version 3 that is used: it brings no types. */
declare module 'mime' {
  const mime: { getType(pathOrExtension: string): string | null };
  export default mime;
}
