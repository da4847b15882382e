import type { FormValue } from '#protocol/hosted/forms.ts';

/** What somebody answered to a field of a form, in words: `yes` for a tick. */
export const answerText = (value: FormValue['value'], { yes, no }: { readonly yes: string; readonly no: string }): string =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'boolean' ? (value ? yes : no) : String(value);
