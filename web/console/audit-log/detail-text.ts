const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of an entry's details as a line of text. A setting's value before and after is told by `changed`. */
export function detailText(value: unknown, changed: (before: string, after: string) => string): string {
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map((one) => detailText(one, changed)).join(', ');
  if (!isRecord(value)) return value === '' || value === null || value === undefined ? '–' : String(value);
  const names = Object.keys(value);
  if (names.length === 2 && 'before' in value && 'after' in value) {
    return changed(detailText(value['before'], changed), detailText(value['after'], changed));
  }
  return names.map((name) => `${name}: ${detailText(value[name], changed)}`).join(', ');
}
