import { isEmailAddress } from './email.ts';
import type { FormField, FormValues } from './hosted/forms.ts';
import { limits } from './limits.ts';

/** The rules of a Portal's form: first answers, what is wrong with an answer, and what is sent (contract/forms.md §2, §3). */

/** A text, a checkbox, or the ticked ones of several options, in the form's order. */
export type Answer = string | boolean | readonly string[];
/** By the field's name. */
export type Answers = Readonly<Record<string, Answer>>;

export type AnswerProblem = 'required' | 'email' | 'url' | 'number' | 'date' | 'tooLong';

/** What a form's field can state about the package. */
type PackageProperty = Extract<FormField['type'], 'package_name' | 'package_description' | 'sender_email'>;

/** A `checkbox` with options: a choice of several. */
export const isMultiple = ({ type, options }: FormField): boolean => type === 'checkbox' && (options?.length ?? 0) > 0;
/** A `checkbox` without options: yes or no. */
export const isCheck = (field: FormField): boolean => field.type === 'checkbox' && !isMultiple(field);

/** The fields that a person sees, in their order. */
export function askedFields(fields: readonly FormField[]): FormField[] {
  return fields.filter(({ visibility }) => visibility !== 'hidden').sort((a, b) => a.position - b.position);
}

/** A field's default. That of a choice of several is one option, or some of them with commas between. */
export function defaultAnswer(field: FormField): Answer {
  const text = field.default_value ?? '';
  if (isCheck(field)) return ['true', 'yes', 'on', '1'].includes(text.trim().toLowerCase());
  if (!isMultiple(field)) return text;
  const options = field.options ?? [];
  // An option may have a comma itself.
  const chosen = options.includes(text) ? [text] : text.split(',').map((one) => one.trim());
  return options.filter((option) => chosen.includes(option));
}

/** The answers that a form begins with. `known` replaces defaults, but none that is read-only. */
export function firstAnswers(fields: readonly FormField[], known: Partial<Record<PackageProperty, string>> = {}): Answers {
  const knownFor = ({ type, visibility }: FormField): string =>
    visibility !== 'readonly' && isPackageProperty(type) ? (known[type] ?? '') : '';
  return Object.fromEntries(fields.map((field) => [field.name, knownFor(field) || defaultAnswer(field)]));
}

/** The ticked options after one was ticked or unticked, in the form's order, whatever the order of ticking. */
export function withOption({ options = [] }: FormField, answer: Answer, option: string, ticked: boolean): readonly string[] {
  const before = Array.isArray(answer) ? (answer as readonly string[]) : [];
  return options.filter((one) => (one === option ? ticked : before.includes(one)));
}

/** Whether an answer is required. A package needs a name and a sender, whatever its form says. */
export const isRequired = ({ visibility, type }: FormField): boolean =>
  visibility === 'required' || (visibility === 'optional' && (type === 'package_name' || type === 'sender_email'));

/** The longest text of a field, in characters. */
export const longestAnswer = ({ type }: Pick<FormField, 'type'>): number =>
  type === 'package_name' ? limits.nameLength : limits.textLength;

/** The problem of an answer, or null. */
export function problemOf(field: FormField, answer: Answer): AnswerProblem | null {
  if (field.visibility === 'readonly' || field.visibility === 'hidden') return null;
  if (isEmpty(answer)) return isRequired(field) ? 'required' : null;
  if (typeof answer !== 'string') return null;
  const text = answer.trim();
  if (text.length > longestAnswer(field)) return 'tooLong';
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

/** The answers as the API takes them. Read-only fields are left to the service. */
export function formValues(fields: readonly FormField[], answers: Answers): FormValues {
  return Object.fromEntries(
    fields.filter(({ visibility }) => visibility !== 'readonly').map(({ name }) => [name, { value: valueIn(answers[name] ?? '') }]),
  );
}

/**
 * The field that states this property of the package. Null where the form has none, or a read-only one without a
 * default: then the page asks.
 */
export function fieldStating(fields: readonly FormField[], property: PackageProperty): FormField | null {
  const field = fields.find(({ type }) => type === property);
  if (!field || field.visibility === 'hidden') return null;
  return field.visibility === 'readonly' && !field.default_value?.trim() ? null : field;
}

/** The property as the form's answers state it, empty where nothing was entered; null where the form has no field for it. */
export function statedProperty(fields: readonly FormField[], answers: Answers, property: PackageProperty): string | null {
  const field = fieldStating(fields, property);
  if (!field) return null;
  return String(field.visibility === 'readonly' ? field.default_value : (answers[field.name] ?? '')).trim();
}

const isPackageProperty = (type: FormField['type']): type is PackageProperty =>
  type === 'package_name' || type === 'package_description' || type === 'sender_email';

const isEmpty = (answer: Answer): boolean =>
  typeof answer === 'string' ? answer.trim() === '' : typeof answer === 'boolean' ? !answer : answer.length === 0;

const valueIn = (answer: Answer): string | boolean | string[] =>
  typeof answer === 'string' ? answer.trim() : typeof answer === 'boolean' ? answer : [...answer];
