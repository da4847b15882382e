import { isEmailAddress } from '#protocol/email.ts';
import type { FormField, FormValues } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';

/** A field's value: text, one checkbox, or the checked ones of several options. */
export type Value = string | boolean | readonly string[];
export type Values = Readonly<Record<string, Value>>;

export type Problem = 'needed' | 'email' | 'url' | 'number' | 'date' | 'tooLong';

/** The package's properties that a form field can supply. */
export type Fed = 'package_name' | 'package_description' | 'sender_email';

export const isMany = (field: FormField): boolean => field.type === 'checkbox' && (field.options?.length ?? 0) > 0;
export const isTick = (field: FormField): boolean => field.type === 'checkbox' && !isMany(field);

/** A field's value before any input. */
export function initialValue(field: FormField): Value {
  const usual = field.default_value ?? '';
  if (isTick(field)) return ['true', 'yes', 'on', '1'].includes(usual.trim().toLowerCase());
  if (!isMany(field)) return usual;
  if (field.options!.includes(usual)) return [usual];
  return usual
    .split(',')
    .map((one) => one.trim())
    .filter((one) => field.options!.includes(one));
}

export const initialValues = (fields: readonly FormField[]): Values =>
  Object.fromEntries(fields.map((field) => [field.name, initialValue(field)]));

/** The field that supplies this property, if any. A read-only field supplies nothing. */
export function feederOf(fields: readonly FormField[], fed: Fed): FormField | null {
  const field = fields.find(({ type }) => type === fed);
  if (!field) return null;
  return field.visibility === 'readonly' && !field.default_value?.trim() ? null : field;
}

/** Whether the field is required. A package needs a name and a sender, whatever its form says. */
export const isNeeded = (field: FormField): boolean =>
  field.visibility === 'required' || (field.visibility !== 'readonly' && (field.type === 'package_name' || field.type === 'sender_email'));

function isEmpty(value: Value): boolean {
  return typeof value === 'string' ? value.trim() === '' : typeof value === 'boolean' ? !value : value.length === 0;
}

export const mostOf = (field: Pick<FormField, 'type'>): number => (field.type === 'package_name' ? limits.nameLength : limits.textLength);

/** The first problem of a value, or null. */
export function problemOf(field: FormField, value: Value): Problem | null {
  if (field.visibility === 'readonly') return null;
  if (isEmpty(value)) return isNeeded(field) ? 'needed' : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (text.length > mostOf(field)) return 'tooLong';
  switch (field.type) {
    case 'email':
    case 'sender_email':
      return isEmailAddress(text) ? null : 'email';
    case 'url':
      return URL.canParse(text) && /^https?:/i.test(text) ? null : 'url';
    case 'number':
      return Number.isFinite(Number(text)) ? null : 'number';
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? null : 'date';
    default:
      return null;
  }
}

/** The values in the service's format. Read-only fields are left to the service. */
export function answersOf(fields: readonly FormField[], values: Values): FormValues {
  return Object.fromEntries(
    fields
      .filter(({ visibility }) => visibility !== 'readonly')
      .map((field) => {
        const value = values[field.name] ?? '';
        return [field.name, { value: typeof value === 'string' ? value.trim() : typeof value === 'boolean' ? value : [...value] }];
      }),
  );
}

/** The package's property from the form's answers; empty where nothing was entered. */
export function fedBy(fields: readonly FormField[], values: Values, fed: Fed): string | null {
  const field = feederOf(fields, fed);
  if (!field) return null;
  return String(field.visibility === 'readonly' ? field.default_value : (values[field.name] ?? '')).trim();
}
