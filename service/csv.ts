import { stringify } from 'csv-stringify/sync';

/**
 * Rows as CSV (RFC 4180). Names that people gave may have line breaks, which are kept inside quotes. A value that a spreadsheet
 * would run as a formula is prefixed with an apostrophe.
 */
export const csvText = (rows: readonly (readonly unknown[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  );
