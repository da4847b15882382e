/**
 * A sentence that names what others have named: keys of a bucket, files of a gateway's disk. What would command a terminal,
 * turn the direction of text, begin a line, or not be kept by the database is replaced.
 */
export const printable = (text: string): string => text.toWellFormed().replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd');
