import type { ServiceError } from '#client/errors.ts';

/** What the service says of one field. `field` is the first name of its path, such as `fields` of `fields[2].options`. */
export interface FieldFault {
  readonly field: string;
  readonly path: string;
  readonly text: string;
}

const path = '([a-z_]+)((?:\\[\\d+\\]|\\.[a-z_]+)*)';
const forms = [
  // `expiry: say when, …` in a message of one or two sentences.
  new RegExp(`(?:^|[.:] )${path}: (.+)$`, 's'),
  new RegExp(`The field ${path} (.+)$`, 's'),
] as const;
const named = new RegExp(`\\(in ${path}\\)`);

/** The field that a refusal names (docs/contract/conventions.md §5), null if it names none. */
export function faultAtField({ message }: Pick<ServiceError, 'message'>): FieldFault | null {
  for (const form of forms) {
    const [, field, rest = '', text] = form.exec(message) ?? [];
    if (field !== undefined && text !== undefined) return { field, path: field + rest, text: capital(text) };
  }
  const [, field, rest = ''] = named.exec(message) ?? [];
  return field === undefined ? null : { field, path: field + rest, text: message };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
