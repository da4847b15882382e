/**
 * Whether a text is a date-time as our programs write it (`2026-11-20T18:04:11.000Z`), looked at in one go: to take apart each
 * of ten thousand costs more than to check all else of their records. A general parser says of every other text what it is; the
 * last days of months are left to it.
 */
export const isPlainDateTime = (text: string): boolean => plain.test(text);

const plain = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
