import { type JsonSchema, mapValues, withoutNull } from '../json-schema.ts';

/** One row of a field table: a property, however deep, by its path (`records[].id`). */
export interface Field {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** Limits, allowed values, default; each one short phrase. */
  readonly facts: readonly string[];
  readonly description: string;
}

/** Flattens a schema into rows, in the order of declaration. A schema without properties gives one row of its own. */
export function fieldsOf(schema: JsonSchema): readonly Field[] {
  const rows: Field[] = [];
  const { schema: inner } = withoutNull(schema);
  if (inner.properties || mapValues(inner) || inner.items) members(inner, '', rows);
  else rows.push(row('', schema, true));
  return rows;
}

function members(schema: JsonSchema, prefix: string, rows: Field[]): void {
  const { properties = {}, required = [] } = schema;
  for (const [name, property] of Object.entries(properties)) {
    add(property, prefix === '' ? name : `${prefix}.${name}`, required.includes(name) && !('default' in property), rows);
  }
  const values = mapValues(schema);
  if (values) add(values, prefix === '' ? '{name}' : `${prefix}.{name}`, false, rows);
  if (schema.items) {
    const path = `${prefix}[]`;
    if (isDeep(schema.items)) members(withoutNull(schema.items).schema, path, rows);
    else add(schema.items, path, true, rows);
  }
}

function add(schema: JsonSchema, path: string, required: boolean, rows: Field[]): void {
  rows.push(row(path, schema, required));
  const { schema: inner } = withoutNull(schema);
  if (inner.items && isDeep(inner.items)) members(withoutNull(inner.items).schema, `${path}[]`, rows);
  else if (isDeep(inner)) members(inner, path, rows);
  for (const choice of inner.anyOf ?? []) if (isDeep(choice)) members(choice, path, rows);
}

const isDeep = (schema: JsonSchema): boolean => {
  const { schema: inner } = withoutNull(schema);
  return inner.properties !== undefined || mapValues(inner) !== undefined;
};

function row(path: string, schema: JsonSchema, required: boolean): Field {
  return { path, type: typeOf(schema), required, facts: factsOf(schema), description: descriptionOf(schema) };
}

function descriptionOf(schema: JsonSchema): string {
  return schema.description ?? withoutNull(schema).schema.description ?? schema.items?.description ?? '';
}

/** `string`, `integer`, `string[]`, `map of string`, `date-time`, `A or B`, `… or null`. */
export function typeOf(schema: JsonSchema): string {
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

/** Adds "1–255 characters", "at least 1", "up to 50"; a lower bound of nothing and the largest integer go without saying. */
function range(facts: string[], low: number | undefined, high: number | undefined, unit: string): void {
  const from = unit !== '' && low === 0 ? undefined : low;
  const to = high === Number.MAX_SAFE_INTEGER ? undefined : high;
  if (from !== undefined && to !== undefined)
    facts.push(from === to ? `${grouped(from)}${unit}` : `${grouped(from)}–${grouped(to)}${unit}`);
  else if (from !== undefined) facts.push(`at least ${grouped(from)}${unit}`);
  else if (to !== undefined) facts.push(`up to ${grouped(to)}${unit}`);
}
