import type { TSchema } from 'typebox';

/**
 * The part of JSON schema that the tables use, as plain data. TypeBox's schemas have this form; with this type the
 * generators (OpenAPI, docs, examples) can read them without TypeBox.
 */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

export const asJsonSchema = (schema: TSchema): JsonSchema => schema as JsonSchema;

/** The schema of a map's values, or `undefined` if the object is not a map. */
export function mapValues(schema: JsonSchema): JsonSchema | undefined {
  const ofPattern = Object.values(schema.patternProperties ?? {})[0];
  if (ofPattern) return ofPattern;
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** The schema without `null`, and whether it allowed `null`. */
export function withoutNull(schema: JsonSchema): { readonly schema: JsonSchema; readonly nullable: boolean } {
  const choices = schema.anyOf;
  const rest = choices?.filter((one) => one.type !== 'null');
  if (!choices || !rest || rest.length === choices.length) return { schema, nullable: false };
  const { anyOf: _, ...outer } = schema;
  return { schema: rest.length === 1 ? { ...rest[0], ...outer } : { ...outer, anyOf: rest }, nullable: true };
}
