/**
 * Whether a text is a date-time as our programs write it (`2026-11-20T18:04:11.000Z`), looked at in one go: to take apart each
 * of ten thousand costs more than to check all else of their records. A general parser says of every other text what it is; the
 * 29th of February, which not every year has, is left to it.
 */
export const isPlainDateTime = (text: string): boolean => plain.test(text);

const anyMonth = '(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])';
const notFebruary = '(?:0[13-9]|1[0-2])-(?:29|30)';
const longMonth = '(?:0[13578]|1[02])-31';
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?';
const plain = new RegExp(`^\\d{4}-(?:${anyMonth}|${notFebruary}|${longMonth})T${time}Z$`);
