import { ApiError } from '#protocol/errors.ts';
import type { FormField, FormResponse, FormValue, FormValues } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';
import type { AnsweredForm } from '../database/schema/portals.ts';

type Value = FormValue['value'];

/** Whether somebody has said anything. A single checkbox that is not ticked says nothing. */
function hasValue(value: Value): boolean {
  if (Array.isArray(value)) return value.some((one) => one.trim() !== '');
  return typeof value === 'string' ? value.trim() !== '' : value !== false;
}

/**
 * A sender's answers, field by field: what is left out is the field's default, a readonly field always is, and what
 * the form does not ask is dropped. Only that required fields have a value is checked (interface §4.7):
 * `form_response_incomplete` names the first without.
 */
export function completeAnswers(fields: readonly FormField[], sent: FormValues): FormValues {
  const answers = fields.map((field): [string, FormValue] => {
    const usual = field.default_value ?? '';
    const given = field.visibility !== 'readonly' && Object.hasOwn(sent, field.name) ? sent[field.name]!.value : undefined;
    const value = given ?? usual;
    if (field.visibility === 'required' && !hasValue(value)) throw new ApiError('form_response_incomplete', { field: field.name });
    return [field.name, { value }];
  });
  return Object.fromEntries(answers);
}

/** A response as the API gives it: every field's value, in the form's order, beside the id. */
export function toResponse(id: string, form: AnsweredForm, answers: FormValues): FormResponse {
  return { id, ...Object.fromEntries(form.fields.map(({ name }) => [name, answerTo(answers, name)])) };
}

const answerTo = (answers: FormValues, name: string): FormValue => (Object.hasOwn(answers, name) ? answers[name]! : { value: '' });

/** What a form's answers say about the package that they come with. */
export interface Feed {
  readonly name?: string;
  readonly description?: string;
  readonly sender?: string;
}

/** Enough to tell an address from a slip of the hand; what is sent there shows the rest. */
const address = /^[^\s\p{Cc}@<>"(),:;\\]+@[^\s\p{Cc}@<>"(),:;\\]+\.[^\s\p{Cc}@<>"(),:;\\]+$/u;
const maxAddress = 254;

const tooLong = (text: string, most: number) => (text.length > most ? `longer than ${most} characters` : null);

const feeds = {
  package_name: { key: 'name', fault: (text: string) => tooLong(text, limits.nameLength) },
  package_description: { key: 'description', fault: (text: string) => tooLong(text, limits.textLength) },
  sender_email: { key: 'sender', fault: (text: string) => (text.length > maxAddress || !address.test(text) ? 'no e-mail address' : null) },
} as const;

/**
 * The name, description and sender that a form's answers give; a field without an answer gives nothing.
 * `invalid_request` for one that a package cannot have.
 */
export function feedOf(form: AnsweredForm, answers: FormValues): Feed {
  const feed: { -readonly [K in keyof Feed]: Feed[K] } = {};
  for (const field of form.fields) {
    if (field.type !== 'package_name' && field.type !== 'package_description' && field.type !== 'sender_email') continue;
    const { value } = answerTo(answers, field.name);
    if (!hasValue(value)) continue;
    const text = (Array.isArray(value) ? value.join(', ') : String(value)).trim();
    const { key, fault } = feeds[field.type];
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
