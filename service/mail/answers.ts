import type { FormValues } from '#protocol/hosted/forms.ts';
import type { AnsweredForm } from '../database/schema/portals.ts';
import { formatDay } from './format.ts';
import type { MailLanguage } from './language.ts';
import { packageMessages } from './messages.ts';

/** A form's answers in the form's order, as readable text; fields without an answer are omitted. */
export function answersOf(
  form: AnsweredForm,
  values: FormValues,
  language: MailLanguage,
): { readonly label: string; readonly text: string }[] {
  const messages = packageMessages[language];
  return [...form.fields]
    .sort((a, b) => a.position - b.position)
    .flatMap((field) => {
      const value = Object.hasOwn(values, field.name) ? values[field.name]!.value : undefined;
      const text =
        value === undefined
          ? ''
          : Array.isArray(value)
            ? value.join(', ')
            : typeof value === 'boolean'
              ? value
                ? messages.yes
                : messages.no
              : field.type === 'date'
                ? formatDay(String(value), language)
                : String(value);
      return text.trim() === '' ? [] : [{ label: field.label || field.name, text }];
    });
}
