/** How values are said in the language of whoever looks. */
export interface DetailWords {
  /** A setting's value before and after. */
  readonly changed: (before: string, after: string) => string;
  readonly yes: string;
  readonly no: string;
  /** A moment as ISO 8601. */
  readonly moment: (iso: string) => string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isMoment = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

/** A value of an entry's details as a line of text. */
export function detailText(value: unknown, words: DetailWords): string {
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map((one) => detailText(one, words)).join(', ');
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (isMoment(value)) return words.moment(value);
  if (!isRecord(value)) return value === '' || value === null || value === undefined ? '–' : String(value);
  const names = Object.keys(value);
  if (names.length === 2 && 'before' in value && 'after' in value) {
    return words.changed(detailText(value['before'], words), detailText(value['after'], words));
  }
  return names.map((name) => `${name}: ${detailText(value[name], words)}`).join(', ');
}
