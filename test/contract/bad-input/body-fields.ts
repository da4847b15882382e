import { exampleOf } from '#protocol/example.ts';
import { asJsonSchema, type JsonSchema, mapValues } from '#protocol/json-schema.ts';
import type { Route } from '#protocol/route.ts';

/** One place in a body: a field, however deep, with what its schema asks of it. */
export interface BodyField {
  /** Names and indexes from the body to the field. */
  readonly path: readonly (string | number)[];
  readonly schema: JsonSchema;
  /** Whether the object around it cannot be without it. */
  readonly required: boolean;
}

/** As the API's sentences write a place: `fields[0].label`. */
export const nameOf = ({ path }: Pick<BodyField, 'path'>): string =>
  path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`), '');

/** Every place of a route's body. Of a list its first entry stands for all, of a map one name. */
export function bodyFieldsOf(route: Route): BodyField[] {
  return route.body ? inside(asJsonSchema(route.body), []) : [];
}

function inside(schema: JsonSchema, path: BodyField['path']): BodyField[] {
  const at = (step: string | number, inner: JsonSchema, required: boolean): BodyField[] => {
    const place = { path: [...path, step], schema: inner, required };
    return [place, ...inside(inner, place.path)];
  };
  const values = mapValues(schema);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => at(name, inner, schema.required?.includes(name) ?? false)),
    ...(schema.items ? at(0, schema.items, false) : []),
    ...(values && !schema.properties ? at('name', values, false) : []),
  ];
}

/** The body with another value at a place. What is missing on the way there is made as the schema's example. */
export function withValue(body: unknown, schema: JsonSchema, path: BodyField['path'], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = typeof step === 'number' ? schema.items! : (schema.properties?.[step] ?? mapValues(schema)!);
  const known = body ?? exampleOf(schema);
  if (typeof step === 'number') {
    const [first, ...others] = known as unknown[];
    return [withValue(first, inner, rest, value), ...others];
  }
  return { ...(known as object), [step]: withValue((known as Record<string, unknown>)[step], inner, rest, value) };
}

/** The body without what stands at a place. */
export function without(body: unknown, schema: JsonSchema, path: BodyField['path']): unknown {
  const [name, around] = [path.at(-1)!, path.slice(0, -1)];
  const whole = withValue(body, schema, path, null);
  const parent = around.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], whole);
  return withValue(whole, schema, around, Object.fromEntries(Object.entries(parent as object).filter(([key]) => key !== name)));
}
