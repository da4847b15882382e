import type { FormField } from '#protocol/hosted/forms.ts';

/** A field that is being changed. Its `key` stays as long as the builder is open, whatever its names become. */
export interface DraftField extends FormField {
  readonly key: string;
  /** Its name follows its label: it was never saved, and nobody chose another. */
  readonly isNamedByLabel?: boolean;
}

export const hasOptions = (type: FormField['type']): boolean => type === 'dropdown' || type === 'radio' || type === 'checkbox';
/** At most one of each stands in a form. */
export const singleKinds: readonly FormField['type'][] = ['package_name', 'package_description', 'sender_email'];

let made = 0;
const newKey = (): string => `field-${++made}`;

export const draftFields = (fields: readonly FormField[]): DraftField[] =>
  fields.toSorted((a, b) => a.position - b.position).map((field) => ({ ...field, key: newKey() }));

/** Fields that were kept from another visit, with keys of this one. */
export const withKeys = (fields: readonly DraftField[]): DraftField[] => fields.map((field) => ({ ...field, key: newKey() }));

/** The fields as the API takes them, in their order. Empty lines among choices are left out. */
export const fieldsOf = (fields: readonly DraftField[]): FormField[] =>
  fields.map(({ key: _, isNamedByLabel: __, options, help, default_value, ...field }, position) => ({
    ...field,
    position,
    ...(help && { help }),
    ...(default_value && { default_value }),
    ...(hasOptions(field.type) && { options: (options ?? []).map((one) => one.trim()).filter(Boolean) }),
  }));

/** A new field, with a name that no other has. */
export function newField(type: FormField['type'], label: string, fields: readonly DraftField[]): DraftField {
  const options = type === 'dropdown' || type === 'radio' ? { options: ['A', 'B'] } : {};
  return {
    key: newKey(),
    isNamedByLabel: true,
    name: freeName(label, fields),
    label,
    type,
    visibility: 'optional',
    position: fields.length,
    ...options,
  };
}

/** The fields after one was changed. */
export function changed(fields: readonly DraftField[], key: string, changes: Partial<DraftField>): DraftField[] {
  return fields.map((field) => {
    if (field.key !== key) return field;
    if (changes.name !== undefined) return { ...field, ...changes, isNamedByLabel: false };
    const others = fields.filter((one) => one.key !== key);
    const named = field.isNamedByLabel && changes.label !== undefined ? { name: freeName(changes.label, others) } : {};
    return { ...field, ...changes, ...named };
  });
}

/** `camera`, or `camera_2` where that is taken. */
export function freeName(wanted: string, fields: readonly Pick<DraftField, 'name'>[]): string {
  const base =
    wanted
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 60) || 'field';
  const taken = new Set(['id', ...fields.map(({ name }) => name)]);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Puts the field at one place to another. Places outside leave it where it is. */
export function moved<T>(fields: readonly T[], from: number, to: number): T[] {
  if (to < 0 || to >= fields.length || from === to) return [...fields];
  const rest = fields.toSpliced(from, 1);
  return rest.toSpliced(to, 0, fields[from]!);
}
