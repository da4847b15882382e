import type { FormSource } from '#protocol/agent/automations/fields.ts';
import {
  type Answer,
  type AnswerProblem,
  type Answers,
  firstAnswers,
  formValues,
  isCheck,
  isMultiple,
  longestAnswer,
  problemOf,
} from '#protocol/form-rules.ts';
import type { FormField, FormValues } from '#protocol/hosted/forms.ts';
import { type FormEntry, valueFrom } from './form-source.ts';
import type { ReadSidecar } from './read-sidecar.ts';

export interface FormFilling {
  /** Of the Portal's form. */
  readonly fields: readonly FormField[];
  /** Answers that are the same for every package; also where a source gives none. */
  readonly fixed?: FormValues | undefined;
  /** By field name. */
  readonly sources?: Readonly<Record<string, FormSource>> | undefined;
  /** What the automation says about each package anyway, for the form's fields that ask for it. */
  readonly known?: Parameters<typeof firstAnswers>[1];
  readonly entry: FormEntry;
  readonly readSidecar: ReadSidecar;
}

export interface FilledForm {
  /** As the service takes them, without the read-only fields. */
  readonly values: FormValues;
  /** What a person has to answer: there is no value, or the form does not take it. */
  readonly missing: readonly FormField[];
  /** Why, by field name: a sentence each. */
  readonly faults: readonly { readonly field: string; readonly message: string }[];
}

/**
 * Answers a Portal's form for one package, by the rules that its page holds a person to (`protocol/form-rules.ts`). Of
 * a field's source, its fixed answer and the form's default, the first that there is counts. Never throws for what a
 * file or a name holds.
 */
export async function fillForm({ fields, fixed = {}, sources = {}, known = {}, entry, readSidecar }: FormFilling): Promise<FilledForm> {
  const answers: Record<string, Answer> = { ...firstAnswers(fields, known) };
  const faults = new Map<string, string>();
  for (const field of fields) {
    if (field.visibility === 'readonly') continue;
    const source = own(sources, field.name);
    const found = source ? await valueFrom(source, entry, readSidecar) : null;
    const given = found?.value ?? own(fixed, field.name)?.value;
    if (given !== undefined) answers[field.name] = answerOf(field, given);
    // What a source lacks matters only where nothing else answers.
    else if (found?.fault !== undefined) faults.set(field.name, found.fault);
  }
  return judged(fields, answers, faults);
}

/** The same for the answers of a person to what was missing. */
export function completeForm(fields: readonly FormField[], before: FormValues, answered: FormValues): FilledForm {
  const answers: Record<string, Answer> = { ...firstAnswers(fields) };
  for (const field of fields) {
    const given = own(answered, field.name) ?? own(before, field.name);
    if (given && field.visibility !== 'readonly') answers[field.name] = answerOf(field, given.value);
  }
  return judged(fields, answers, new Map());
}

function judged(fields: readonly FormField[], answers: Answers, lacks: ReadonlyMap<string, string>): FilledForm {
  const missing: FormField[] = [];
  const faults: { field: string; message: string }[] = [];
  for (const field of [...fields].sort((a, b) => a.position - b.position)) {
    const answer = answers[field.name] ?? '';
    const problem = problemOf(field, answer);
    const message = problem !== null ? problemText[problem](field) : optionFault(field, answer);
    if (message === null) continue;
    missing.push(field);
    faults.push({ field: field.name, message: problem === 'required' ? (lacks.get(field.name) ?? message) : message });
  }
  return { values: formValues(fields, answers), missing, faults };
}

/** A name from outside is never looked up among what every object has. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A value in the form of its field: an option in the form's own letters, a choice of several as a list. */
function answerOf(field: FormField, value: string | number | boolean | readonly string[]): Answer {
  if (isCheck(field))
    return typeof value === 'boolean' ? value : ['true', 'yes', 'on', '1', 'x'].includes(textOf(value).trim().toLowerCase());
  const options = field.options ?? [];
  const option = (text: string): string => options.find((one) => sameText(one, text)) ?? text.trim();
  if (!isMultiple(field)) return options.length > 0 ? option(textOf(value)) : textOf(value);
  const whole = option(textOf(value));
  const parts = Array.isArray(value) ? (value as readonly string[]) : options.includes(whole) ? [whole] : textOf(value).split(',');
  const chosen = parts.map(option).filter((one) => one !== '');
  const known = options.filter((one) => chosen.includes(one));
  return [...known, ...chosen.filter((one) => !options.includes(one))];
}

const textOf = (value: string | number | boolean | readonly string[]): string =>
  Array.isArray(value) ? value.join(', ') : String(value as string | number | boolean);

const sameText = (one: string, other: string): boolean =>
  one.trim().normalize('NFC').toLowerCase() === other.trim().normalize('NFC').toLowerCase();

/** A page offers only the options; a file or a name may say anything. */
function optionFault(field: FormField, answer: Answer): string | null {
  if (typeof answer === 'boolean' || !field.options?.length) return null;
  const wrong = (typeof answer === 'string' ? [answer.trim()] : answer).find((one) => one !== '' && !field.options!.includes(one));
  return wrong === undefined ? null : `"${shown(wrong)}" is none of the options: ${field.options.map(shown).join(', ')}.`;
}

const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

const problemText: Readonly<Record<AnswerProblem, (field: FormField) => string>> = {
  required: () => 'It has no value.',
  email: () => 'It is no e-mail address.',
  url: () => 'It is no address of a web page.',
  number: () => 'It is no number.',
  date: () => 'It is no date, such as 2026-11-23.',
  tooLong: (field) => `It is longer than ${longestAnswer(field)} characters.`,
};
