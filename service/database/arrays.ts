/**
 * Lists as PostgreSQL reads them. Rows that are written together go over as one such text for each column, which
 * `unnest` makes rows of: a third of what rows in JSON take it, and little for us.
 */

/** Of ids, numbers, moments in ISO form and bytes in hex (`hexBytes`): what needs no quotes. */
export function plainArray(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`;
}

/** Of any texts. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"${special.test(value) ? value.replaceAll(specials, '\\$&') : value}"`)).join()}}`;
}

const special = /["\\]/;
const specials = /["\\]/g;

/** Bytes as `decode(…, 'hex')` reads them. */
export const hexBytes = (bytes: Buffer): string => bytes.toString('hex');
