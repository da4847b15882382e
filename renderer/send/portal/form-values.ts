import type { FormField, FormValues } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';
import { isAddress } from '../lists.ts';

/** Answers to a Portal's form while they are given: a text, a tick, or the ticked ones of several options. */
export type Answer = string | boolean | readonly string[];
export type Answers = Readonly<Record<string, Answer>>;

export type AnswerProblem = 'needed' | 'email' | 'url' | 'number' | 'date' | 'tooLong';

const isMany = ({ type, options }: FormField): boolean => type === 'checkbox' && (options?.length ?? 0) > 0;
const isTick = (field: FormField): boolean => field.type === 'checkbox' && !isMany(field);

/** What a field begins with. */
function beginning(field: FormField): Answer {
  const given = field.default_value ?? '';
  if (isTick(field)) return /^(true|yes|on|1)$/i.test(given.trim());
  if (!isMany(field)) return given;
  const options = field.options ?? [];
  return options.filter((option) => option === given || given.split(',').some((part) => part.trim() === option));
}

/** Those that a person sees, in their order. What is said of the package and the sender stands in fields of its own. */
export function askedFields(fields: readonly FormField[]): FormField[] {
  return fields.filter(({ visibility }) => visibility !== 'hidden').sort((a, b) => a.position - b.position);
}

/** What all fields begin with; `known` fills those of the package and the sender. */
export function firstAnswers(fields: readonly FormField[], known: Partial<Record<FormField['type'], string>>): Answers {
  return Object.fromEntries(
    fields.map((field) => [field.name, (field.visibility === 'readonly' ? '' : known[field.type]) || beginning(field)]),
  );
}

/** What one of the package's own fields says, by its type; null where the form has none that says anything. */
export function saidOf(fields: readonly FormField[], answers: Answers, type: FormField['type']): string | null {
  const field = fields.find((one) => one.type === type);
  if (!field) return null;
  const answer = field.visibility === 'readonly' ? (field.default_value ?? '') : answers[field.name];
  return typeof answer === 'string' && answer.trim() !== '' ? answer.trim() : null;
}

/** Whether the form asks for it itself, so that the page need not. */
export function asksFor(fields: readonly FormField[], type: FormField['type']): boolean {
  return fields.some(
    (field) =>
      field.type === type && (field.visibility === 'readonly' ? Boolean(field.default_value?.trim()) : field.visibility !== 'hidden'),
  );
}

/** Whether it must be answered. A package has to have a name and a sender, whatever the form says. */
export const isNeeded = ({ visibility, type }: FormField): boolean =>
  visibility === 'required' || (visibility === 'optional' && (type === 'package_name' || type === 'sender_email'));

const empty = (answer: Answer): boolean =>
  typeof answer === 'string' ? answer.trim() === '' : typeof answer === 'boolean' ? !answer : answer.length === 0;

/** What is wrong with an answer, if anything. */
export function problemOf(field: FormField, answer: Answer): AnswerProblem | null {
  if (field.visibility === 'readonly' || field.visibility === 'hidden') return null;
  if (empty(answer)) return isNeeded(field) ? 'needed' : null;
  if (typeof answer !== 'string') return null;
  const text = answer.trim();
  if (text.length > (field.type === 'package_name' ? limits.nameLength : limits.textLength)) return 'tooLong';
  switch (field.type) {
    case 'email':
    case 'sender_email':
      return isAddress(text) ? null : 'email';
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

/** As the service takes them; what nobody may change is left to it. */
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
