import { isEmailAddress } from '#protocol/email.ts';
import { ApiError } from '#protocol/errors.ts';
import type { FormField, FormResponse, FormValue, FormValues } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';
import { hasBidiControl, isBlank, nameRule } from '#protocol/names.ts';
import type { AnsweredForm } from '../database/schema/portals.ts';

type Value = FormValue['value'];

/** Whether a field was answered. A single checkbox that is not ticked counts as unanswered. */
function hasValue(value: Value): boolean {
  if (Array.isArray(value)) return value.some((one) => !isBlank(one));
  return typeof value === 'string' ? !isBlank(value) : value !== false;
}

/**
 * Completes a sender's answers field by field: an omitted answer gets the field's default, a readonly field always
 * does, and answers to unknown fields are dropped. The only check is that required fields have a value
 * (contract/forms.md §3): `form_response_incomplete` names the first one without. All together have a largest size: `over_limit` names
 * the longest.
 */
export function completeAnswers(fields: readonly FormField[], sent: FormValues): FormValues {
  const answers = fields.map((field): [string, FormValue] => {
    const usual = field.default_value ?? '';
    const given = field.visibility !== 'readonly' && Object.hasOwn(sent, field.name) ? sent[field.name]!.value : undefined;
    const value = given ?? usual;
    if (field.visibility === 'required' && !hasValue(value)) throw new ApiError('form_response_incomplete', { field: field.name });
    return [field.name, { value }];
  });
  const sizes = answers.map(([name, value]) => ({ name, bytes: Buffer.byteLength(JSON.stringify({ [name]: value })) }));
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) > limits.formBytes) {
    const { name } = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    throw new ApiError('over_limit', { detail: `${name}: all answers together have at most ${limits.formBytes} bytes. Shorten this one.` });
  }
  return Object.fromEntries(answers);
}

/** A response in API format: the value of every field, in the form's order, and the id. */
export function toResponse(id: string, form: AnsweredForm, answers: FormValues): FormResponse {
  return { id, ...Object.fromEntries(form.fields.map(({ name }) => [name, answerTo(answers, name)])) };
}

/** The same, with the labels that the fields had. */
export function toShownResponse(id: string, form: AnsweredForm, answers: FormValues): FormResponse {
  const values = form.fields.map(({ name, label }) => [name, { ...answerTo(answers, name), ...(label !== '' && { label }) }]);
  return { id, ...Object.fromEntries(values) };
}

const answerTo = (answers: FormValues, name: string): FormValue => (Object.hasOwn(answers, name) ? answers[name]! : { value: '' });

/** The package fields that a form's answers provide. */
export interface PackageFields {
  readonly name?: string;
  readonly description?: string;
  readonly sender?: string;
}

const tooLong = (text: string, most: number) => (text.length > most ? `longer than ${most} characters` : null);

const packageFieldRules = {
  package_name: {
    key: 'name',
    fault: (text: string) => tooLong(text, limits.nameLength) ?? (isBlank(text) || hasBidiControl(text) ? `no name: it ${nameRule}` : null),
  },
  package_description: { key: 'description', fault: (text: string) => tooLong(text, limits.textLength) },
  sender_email: { key: 'sender', fault: (text: string) => (isEmailAddress(text) ? null : 'no e-mail address') },
} as const;

/**
 * The name, description and sender from a form's answers; a field without an answer provides nothing.
 * `invalid_request` for a value that a package cannot have.
 */
export function packageFieldsOf(form: AnsweredForm, answers: FormValues): PackageFields {
  const feed: { -readonly [K in keyof PackageFields]: PackageFields[K] } = {};
  for (const field of form.fields) {
    if (field.type !== 'package_name' && field.type !== 'package_description' && field.type !== 'sender_email') continue;
    const { value } = answerTo(answers, field.name);
    if (!hasValue(value)) continue;
    const text = (Array.isArray(value) ? value.join(', ') : String(value)).trim();
    const { key, fault } = packageFieldRules[field.type];
    const wrong = fault(text);
    if (wrong) {
      throw new ApiError('invalid_request', {
        detail: `form_data_id: the answer to ${field.label || field.name} is ${wrong}. Answer the form again.`,
      });
    }
    feed[key] = text;
  }
  return feed;
}
