import type { TObject, TSchema } from 'typebox';
import { ApiError } from '#protocol/errors.ts';
import { fieldPath, pointerSteps } from '#protocol/field-path.ts';
import type { RequestPart, SchemaProblem } from '#protocol/route-schemas.ts';
import { ruleOf } from '#protocol/schema-rules.ts';

/** Converts a validation failure to an error that names the field, so that a caller knows what to change. */
export function invalidRequest(errors: readonly SchemaProblem[], part: RequestPart): ApiError {
  const [first] = errors;
  if (!first) return new ApiError('invalid_request', { detail: `The ${part} is not valid.` });
  const path = pointerSteps(first.instancePath);
  if (first.keyword === 'required') path.push(String(first.params['missingProperty']));
  if (path.length === 0) return new ApiError('invalid_request', { detail: `The ${part} ${ruleOf(first)}.` });
  const where = `The field ${fieldPath(path)}${part === 'query' ? ' of the query' : ''}`;
  return new ApiError('invalid_request', { detail: `${where} ${first.keyword === 'required' ? 'is missing' : ruleOf(first)}.` });
}

/**
 * Converts a query's texts to the types of its schema: numbers, booleans, and lists given by commas or by repeating the
 * name. Text that does not match stays unchanged, and the validation that follows reports it.
 */
export function coerceQuery(query: Readonly<Record<string, unknown>>, schema: TObject | undefined): Record<string, unknown> {
  const coerced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const wanted = schema?.properties[name];
    if (wanted) coerced[name] = coerceValue(value, wanted);
  }
  return coerced;
}

function coerceValue(value: unknown, schema: TSchema): unknown {
  const wanted = schema as { type?: string; items?: TSchema };
  if (wanted.type === 'array') {
    const texts = (Array.isArray(value) ? value : [value]).flatMap((one) => String(one).split(','));
    return texts.filter((text) => text !== '').map((text) => (wanted.items ? coerceValue(text, wanted.items) : text));
  }
  if (typeof value !== 'string') return value;
  if ((wanted.type === 'integer' || wanted.type === 'number') && /^-?\d{1,16}(\.\d+)?$/.test(value)) return Number(value);
  if (wanted.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
