import type { deliveryFormats, FormValue, FormValues } from '#protocol/hosted/forms.ts';
import { csvText } from '../csv.ts';
import type { AnsweredForm } from '../database/schema/portals.ts';
import { toResponse } from './answers.ts';

/** The file formats in which a form's answers are delivered (contract/forms.md §5). The same answers give the same bytes. */

export type FileFormat = Exclude<(typeof deliveryFormats)[number], 'email_body'>;

export interface Answered {
  readonly id: string;
  readonly form: AnsweredForm;
  readonly answers: FormValues;
}

export const fileFormats: Readonly<Record<FileFormat, (answered: Answered) => string>> = { json: asJson, csv: asCsv, xml: asXml };

/** The texts of a value; empty without a value. */
function textsOf({ value }: FormValue): string[] {
  if (Array.isArray(value)) return value;
  return value === '' ? [] : [String(value)];
}

/** A form's fields with their answers, in render order. */
function rowsOf({ form, answers }: Answered) {
  return form.fields
    .toSorted((a, b) => a.position - b.position)
    .map((field) => ({ field, texts: textsOf(Object.hasOwn(answers, field.name) ? answers[field.name]! : { value: '' }) }));
}

/** The response exactly as in the API. */
export function asJson({ id, form, answers }: Answered): string {
  return `${JSON.stringify(toResponse(id, form, answers), null, 2)}\n`;
}

/**
 * One line per value: a field with several values has several lines, and a field without an answer has one line with
 * an empty value.
 */
export function asCsv(answered: Answered): string {
  const lines = rowsOf(answered).flatMap(({ field, texts }) =>
    (texts.length === 0 ? [''] : texts).map((text) => [field.name, field.label, text]),
  );
  return csvText([['name', 'label', 'value'], ...lines]);
}

/** One `field` per field, with one `value` per value. Characters that XML 1.0 cannot contain become U+FFFD. */
export function asXml(answered: Answered): string {
  const fields = rowsOf(answered).map(({ field, texts }) => {
    const values = texts.map((text) => `    <value>${escapeXml(text)}</value>\n`).join('');
    const start = `  <field name="${escapeXml(field.name)}" label="${escapeXml(field.label)}" type="${field.type}"`;
    return values === '' ? `${start}/>\n` : `${start}>\n${values}  </field>\n`;
  });
  const root = `<metadata id="${escapeXml(answered.id)}" form="${escapeXml(answered.form.name)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n${fields.join('')}</metadata>\n`;
}

/** Characters outside XML 1.0's `Char`, not allowed even as a reference. */
const invalidInXml = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Line ends and tabs are written as references, because a parser would normalise them. */
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const escapeXml = (text: string): string => text.replace(invalidInXml, '\u{FFFD}').replace(/[&<>"\t\n\r]/g, (one) => references[one]!);
