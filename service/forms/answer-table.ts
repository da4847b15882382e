import type { FormValues } from '#protocol/hosted/forms.ts';
import { csvText } from '../csv.ts';
import type { AnsweredForm } from '../database/schema/portals.ts';
import { formatDateTime } from '../wire-times.ts';

/** A response with the package that it came with. */
export interface TableRow {
  readonly id: string;
  readonly package_id: string;
  readonly name: string;
  readonly sender: string;
  readonly created_at: Date;
  readonly form: AnsweredForm;
  readonly answers: FormValues;
}

/** So that spreadsheets read it as UTF-8. */
const byteOrderMark = '\uFEFF';

/**
 * The answers as CSV (RFC 4180), a line for each package and a column for each field (contract/forms.md §7). Several
 * ticked options are one cell, with `; ` between them.
 */
export async function* answerTable(
  columns: readonly { readonly name: string; readonly label: string }[],
  batches: AsyncIterable<readonly TableRow[]>,
): AsyncGenerator<string> {
  yield byteOrderMark +
    csvText([['package_id', 'package_name', 'sender', 'created_at', ...columns.map(({ name, label }) => label || name)]]);
  for await (const rows of batches) {
    yield csvText(
      rows.map((row) => [
        ...[row.package_id, row.name, row.sender, formatDateTime(row.created_at)],
        ...columns.map(({ name }) => textOf(row.answers, name)),
      ]),
    );
  }
}

function textOf(answers: FormValues, name: string): string {
  const value = Object.hasOwn(answers, name) ? answers[name]!.value : '';
  return Array.isArray(value) ? value.join('; ') : String(value);
}
