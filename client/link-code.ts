/**
 * Whether a text has the eight digits of a mailed code, with blanks and dashes as a mail program or a person may put them.
 * Pages ask this themselves: a browser's words for a pattern are of its own language, and do not say what is missing.
 */
export const isWholeLinkCode = (code: string): boolean => /^[\s-]*(\d[\s-]*){8}$/.test(code);
