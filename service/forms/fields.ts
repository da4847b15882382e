import { ApiError } from '#protocol/errors.ts';
import type { FormField } from '#protocol/hosted/forms.ts';
import { limits } from '#protocol/limits.ts';
import { hasBidiControl, isBlank, nameRule } from '#protocol/names.ts';

/** Types with options. A `checkbox` without options is a single yes or no. */
const typesWithOptions: readonly FormField['type'][] = ['checkbox', 'radio', 'dropdown'];
const typesRequiringOptions: readonly FormField['type'][] = ['radio', 'dropdown'];

/** Types whose answer becomes a field of the package: at most one of each in a form (contract/forms.md §2). */
const packageFieldTypes: readonly FormField['type'][] = ['package_name', 'package_description', 'sender_email'];

/** `id` is the response's own id; `__proto__` cannot be sent, since it is removed from every body (http/json-bodies.ts). */
const reservedNames: readonly string[] = ['id', '__proto__'];

function refuse(field: string, detail: string): never {
  throw new ApiError('invalid_request', { detail: `${field}: ${detail}.` });
}

/**
 * A form's fields in their stored form: only the properties that a field has, in the order sent. `invalid_request`
 * names what is wrong, such as `fields[2].options`; `over_limit` for more than a form may have in all.
 */
export function normaliseFields(fields: readonly FormField[]): FormField[] {
  const names = new Set<string>();
  const fed = new Set<FormField['type']>();
  const normal = fields.map((field, index): FormField => {
    const at = (name: keyof FormField) => `fields[${index}].${name}`;
    if (reservedNames.includes(field.name)) refuse(at('name'), `a field cannot be called ${field.name}`);
    if (names.has(field.name)) refuse(at('name'), `another field is called ${field.name} already`);
    names.add(field.name);
    for (const key of ['name', 'label', 'help'] as const) {
      // A label may be empty: the name is shown then.
      const text = field[key] ?? '';
      if (text !== '' && (isBlank(text) || hasBidiControl(text))) refuse(at(key), `it ${nameRule}`);
    }
    if (packageFieldTypes.includes(field.type)) {
      if (fed.has(field.type)) refuse(at('type'), `a form has at most one field of the type ${field.type}`);
      fed.add(field.type);
    }
    const options = typesWithOptions.includes(field.type) ? (field.options ?? []) : undefined;
    checkOptions(field, options, at('options'));
    if (field.default_value && typesRequiringOptions.includes(field.type) && !options?.includes(field.default_value)) {
      refuse(at('default_value'), 'it is none of the options');
    }
    const { name, label, type, visibility, help, default_value, position } = field;
    return {
      ...{ name, label, type, visibility },
      ...(help && { help }),
      ...(default_value !== undefined && { default_value }),
      position,
      ...(options && { options }),
    };
  });
  if (Buffer.byteLength(JSON.stringify(normal)) > limits.formBytes) {
    throw new ApiError('over_limit', {
      detail: `fields: all of them together have at most ${limits.formBytes} bytes. Shorten their options.`,
    });
  }
  return normal;
}

function checkOptions(field: FormField, options: readonly string[] | undefined, at: string): void {
  if (typesRequiringOptions.includes(field.type) && options?.length === 0)
    refuse(at, `a field of the type ${field.type} needs at least one`);
  if (options?.some(isBlank)) refuse(at, 'an option is empty');
  if (options && new Set(options).size < options.length) refuse(at, 'an option is named twice');
}
