import { isEmailAddress } from '#protocol/email.ts';
import type { FormField, FormValues } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';

/** Current answers to a Portal's form: a text, a checkbox, or the checked ones of several options. */
export type Answer = string | boolean | readonly string[];
export type Answers = Readonly<Record<string, Answer>>;

export type AnswerProblem = 'needed' | 'email' | 'url' | 'number' | 'date' | 'tooLong';

const isMany = ({ type, options }: FormField): boolean => type === 'checkbox' && (options?.length ?? 0) > 0;
const isTick = (field: FormField): boolean => field.type === 'checkbox' && !isMany(field);

/** A field's initial answer. */
function beginning(field: FormField): Answer {
  const given = field.default_value ?? '';
  if (isTick(field)) return /^(true|yes|on|1)$/i.test(given.trim());
  if (!isMany(field)) return given;
  const options = field.options ?? [];
  return options.filter((option) => option === given || given.split(',').some((part) => part.trim() === option));
}

/** The visible fields in their order, without those about package and sender, which the page shows itself. */
export function askedFields(fields: readonly FormField[]): FormField[] {
  return fields.filter(({ visibility }) => visibility !== 'hidden').sort((a, b) => a.position - b.position);
}

/** Initial answers of all fields; `known` fills in those about package and sender. */
export function firstAnswers(fields: readonly FormField[], known: Partial<Record<FormField['type'], string>>): Answers {
  return Object.fromEntries(
    fields.map((field) => [field.name, (field.visibility === 'readonly' ? '' : known[field.type]) || beginning(field)]),
  );
}

/** The answer of one of the package's own fields, by type; null where the form has none with an answer. */
export function saidOf(fields: readonly FormField[], answers: Answers, type: FormField['type']): string | null {
  const field = fields.find((one) => one.type === type);
  if (!field) return null;
  const answer = field.visibility === 'readonly' ? (field.default_value ?? '') : answers[field.name];
  return typeof answer === 'string' && answer.trim() !== '' ? answer.trim() : null;
}

/** Whether the form contains this field, so that the page need not show its own. */
export function asksFor(fields: readonly FormField[], type: FormField['type']): boolean {
  return fields.some(
    (field) =>
      field.type === type && (field.visibility === 'readonly' ? Boolean(field.default_value?.trim()) : field.visibility !== 'hidden'),
  );
}

/** Whether an answer is required. A package needs a name and a sender, whatever the form says. */
export const isNeeded = ({ visibility, type }: FormField): boolean =>
  visibility === 'required' || (visibility === 'optional' && (type === 'package_name' || type === 'sender_email'));

const empty = (answer: Answer): boolean =>
  typeof answer === 'string' ? answer.trim() === '' : typeof answer === 'boolean' ? !answer : answer.length === 0;

/** The problem of an answer, or null. */
export function problemOf(field: FormField, answer: Answer): AnswerProblem | null {
  if (field.visibility === 'readonly' || field.visibility === 'hidden') return null;
  if (empty(answer)) return isNeeded(field) ? 'needed' : null;
  if (typeof answer !== 'string') return null;
  const text = answer.trim();
  if (text.length > (field.type === 'package_name' ? limits.nameLength : limits.textLength)) return 'tooLong';
  switch (field.type) {
    case 'email':
    case 'sender_email':
      return isEmailAddress(text) ? null : 'email';
    case 'url':
      return /^https?:/i.test(text) && URL.canParse(text) ? null : 'url';
    case 'number':
      return Number.isFinite(Number(text)) ? null : 'number';
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? null : 'date';
    default:
      return null;
  }
}

/** The answers in the service's format; read-only fields are left to the service. */
export function formValues(fields: readonly FormField[], answers: Answers): FormValues {
  return Object.fromEntries(
    fields
      .filter(({ visibility }) => visibility !== 'readonly')
      .map(({ name }) => {
        const answer = answers[name] ?? '';
        return [name, { value: typeof answer === 'string' ? answer.trim() : typeof answer === 'boolean' ? answer : [...answer] }];
      }),
  );
}
