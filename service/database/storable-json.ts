import { ApiError } from '#protocol/errors.ts';

/**
 * JSON text of what a caller sent, for a `jsonb` column. JSON can say what such a column cannot hold: NUL characters
 * and halves of surrogate pairs. `invalid_request` names the field, beginning with `field`.
 */
export function storableJson(value: unknown, field: string): string {
  checkTexts(value, field);
  return JSON.stringify(value);
}

function checkTexts(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new ApiError('invalid_request', { detail: `${field}: text must not contain NUL characters.` });
    if (!value.isWellFormed()) throw new ApiError('invalid_request', { detail: `${field}: the text is not well-formed Unicode.` });
  } else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) checkTexts(one, `${field}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      checkTexts(name, `a name in ${field}`);
      checkTexts(one, `${field}.${name}`);
    }
  }
}
