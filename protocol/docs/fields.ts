import { type JsonSchema, mapValues, withoutNull } from '../json-schema.ts';

/** One row of a field table: a property at any depth, with its path (`records[].id`). */
export interface Field {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** Limits, allowed values, default; each one short phrase. */
  readonly facts: readonly string[];
  readonly description: string;
}

/** Flattens a schema into rows, in the order of declaration. A schema without properties gives a single row. */
export function fieldsOf(schema: JsonSchema): readonly Field[] {
  const rows = inside(schema, '');
  return rows.length > 0 ? rows : [row('', schema, true)];
}

/** The rows below the schema at `path`: its properties, values, items or variants, at any depth. */
function inside(schema: JsonSchema, path: string): readonly Field[] {
  const { schema: inner } = withoutNull(schema);
  if (inner.anyOf) return variants(inner.anyOf, path);
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const { properties = {}, required = [] } = inner;
  const rows = Object.entries(properties).flatMap(([name, property]) =>
    withInside(below(name), property, required.includes(name) && !('default' in property)),
  );
  const values = inner.type === 'object' ? mapValues(inner) : undefined;
  if (values) rows.push(...withInside(below('{name}'), values, false));
  if (inner.items) {
    const items = inside(inner.items, `${path}[]`);
    // A list of plain values is described in its own row; it needs a separate row only if it has no row of its own.
    rows.push(...(items.length === 0 && path === '' ? [row('[]', inner.items, true)] : items));
  }
  return rows;
}

const withInside = (path: string, schema: JsonSchema, required: boolean): readonly Field[] => [
  row(path, schema, required),
  ...inside(schema, path),
];

/** Rows of several alternative objects, without duplicates; a row that only some of them have names those. */
function variants(choices: readonly JsonSchema[], path: string): readonly Field[] {
  const objects = choices.filter((choice) => choice.properties !== undefined);
  const selector = selectorOf(objects);
  const places = new Map<string, { readonly field: Field; readonly owners: JsonSchema[] }>();
  for (const object of objects) {
    for (const field of inside(selector === undefined ? object : withoutProperty(object, selector), path)) {
      const key = JSON.stringify([field.path, field.type, field.required, field.facts]);
      const place = places.get(key) ?? { field, owners: [] };
      place.owners.push(object);
      places.set(key, place);
    }
  }
  const rows = [...places.values()].map(({ field, owners }) =>
    owners.length === objects.length ? field : { ...field, facts: [...field.facts, ownersText(owners, selector)] },
  );
  if (selector === undefined) return rows;
  const values = objects.flatMap((object) => object.properties?.[selector]?.enum ?? []);
  return [row(path === '' ? selector : `${path}.${selector}`, { type: 'string', enum: values }, true), ...rows];
}

/** The property that distinguishes the variants: each has its own values for it. */
function selectorOf(objects: readonly JsonSchema[]): string | undefined {
  return Object.keys(objects[0]?.properties ?? {}).find((name) => {
    const values = objects.map((object) => object.properties?.[name]?.enum ?? []);
    return values.every((one) => one.length > 0) && new Set(values.flat()).size === values.flat().length;
  });
}

function withoutProperty(object: JsonSchema, name: string): JsonSchema {
  return { ...object, properties: Object.fromEntries(Object.entries(object.properties ?? {}).filter(([key]) => key !== name)) };
}

function ownersText(owners: readonly JsonSchema[], selector: string | undefined): string {
  if (selector === undefined) return `in ${owners.map((object) => object.title ?? 'some').join(' or ')}`;
  return `if ${selector} is ${owners.flatMap((object) => (object.properties?.[selector]?.enum ?? []).map(shown)).join(' or ')}`;
}

function row(path: string, schema: JsonSchema, required: boolean): Field {
  return { path, type: typeOf(schema), required, facts: factsOf(schema), description: descriptionOf(schema) };
}

function descriptionOf(schema: JsonSchema): string {
  return schema.description ?? withoutNull(schema).schema.description ?? schema.items?.description ?? '';
}

/** `string`, `integer`, `string[]`, `map of string`, `date-time`, `A or B`, `… or null`. */
function typeOf(schema: JsonSchema): string {
  const { schema: inner, nullable } = withoutNull(schema);
  return nullable ? `${plainType(inner)} or null` : plainType(inner);
}

function plainType(schema: JsonSchema): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(plainType))].join(' or ');
  if (schema.type === 'array') return schema.items ? `${typeOf(schema.items)}[]` : 'array';
  const values = schema.type === 'object' && !schema.properties ? mapValues(schema) : undefined;
  if (values) return `map of ${typeOf(values)}`;
  if (schema.type === 'string' && schema.format) return schema.format;
  return schema.type ?? (schema.enum ? 'string' : 'any');
}

const shown = (value: unknown): string => (value === '' ? '""' : typeof value === 'string' ? value : JSON.stringify(value));
const grouped = (value: number): string => value.toLocaleString('en-US');

function factsOf(schema: JsonSchema): readonly string[] {
  const { schema: inner } = withoutNull(schema);
  const facts = plainFacts(inner);
  if (inner.items) facts.push(...itemFacts(inner.items));
  if ('default' in schema) facts.push(`default ${shown(schema.default)}`);
  return facts;
}

function itemFacts(items: JsonSchema): string[] {
  return items.enum ? plainFacts(items) : plainFacts(items).map((fact) => `each ${fact}`);
}

function plainFacts(schema: JsonSchema): string[] {
  const facts: string[] = [];
  if (schema.enum) facts.push(...schema.enum.map(shown));
  if ('const' in schema) facts.push(`always ${shown(schema.const)}`);
  range(facts, schema.minimum, schema.maximum, '');
  range(facts, schema.minLength, schema.maxLength, ' characters');
  range(facts, schema.minItems, schema.maxItems, ' items');
  range(facts, schema.minProperties, schema.maxProperties, ' entries');
  if (schema.uniqueItems) facts.push('no item twice');
  if (schema.pattern) facts.push(`matches ${schema.pattern}`);
  return facts;
}

/** Adds "1–255 characters", "at least 1", "up to 50"; omits a lower bound of zero and an upper bound of the largest integer. */
function range(facts: string[], low: number | undefined, high: number | undefined, unit: string): void {
  const from = unit !== '' && low === 0 ? undefined : low;
  const to = high === Number.MAX_SAFE_INTEGER ? undefined : high;
  if (from !== undefined && to !== undefined)
    facts.push(from === to ? `${grouped(from)}${unit}` : `${grouped(from)}–${grouped(to)}${unit}`);
  else if (from !== undefined) facts.push(`at least ${grouped(from)}${unit}`);
  else if (to !== undefined) facts.push(`up to ${grouped(to)}${unit}`);
}
