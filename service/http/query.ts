import type { TObject } from 'typebox';
import { ApiError } from '#protocol/errors.ts';
import { asJsonSchema, type JsonSchema } from '#protocol/json-schema.ts';

/**
 * Converts a query's texts into the types of the route's schema: integers, booleans, and lists, which may be given as
 * repeated values, comma-separated, or both. What cannot be converted is left as it is, so that validation can name
 * it. Errors: `invalid_request` for a NUL character, which the database cannot store.
 */
export function coerceQuery(query: Readonly<Record<string, unknown>>, schema: TObject | undefined): Record<string, unknown> {
  const properties = schema ? (asJsonSchema(schema).properties ?? {}) : {};
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    // Unknown parameters are ignored.
    if (!property) continue;
    if (hasNul(value)) throw new ApiError('invalid_request', { detail: `The query parameter ${name} must not contain NUL characters.` });
    result[name] = coerce(value, property);
  }
  return result;
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' ? value.includes('\0') : Array.isArray(value) && value.some(hasNul);
}

function coerce(value: unknown, schema: JsonSchema): unknown {
  if (schema.type === 'array') {
    const texts = (Array.isArray(value) ? value : [value]).flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]));
    return texts.filter((one) => one !== '').map((one) => coerce(one, schema.items ?? {}));
  }
  if (typeof value !== 'string') return value;
  if (schema.type === 'integer' && /^-?\d{1,16}$/.test(value)) return Number(value);
  if (schema.type === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (schema.type === 'boolean' && (value === 'true' || value === '1')) return true;
  if (schema.type === 'boolean' && (value === 'false' || value === '0')) return false;
  return value;
}
