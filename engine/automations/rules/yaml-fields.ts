import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { fieldPath, pointerSteps } from '#protocol/field-path.ts';
import { ruleOf } from '#protocol/schema-rules.ts';
import { YamlFault, type YamlText } from './yaml-text.ts';

export interface FieldsToRead {
  /** Of an object. */
  readonly schema: TSchema & { readonly properties: Readonly<Record<string, TSchema>> };
  readonly given: Readonly<Record<string, unknown>>;
  /** What has the fields, for messages. */
  readonly what: string;
  /** For the check alone: fields that a text need not have. */
  readonly assumed?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The fields of a mapping in a YAML text, valid by their schema and with its defaults.
 *
 * @param path of the mapping in the text
 * @throws YamlFault that names the line and the field
 */
export function readFields(
  yaml: YamlText,
  path: readonly (string | number)[],
  { schema, given, what, assumed = {} }: FieldsToRead,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(given)) {
    const at = yaml.lineOf([...path, name]);
    if (!Object.hasOwn(schema.properties, name)) {
      throw new YamlFault(at, `${what} has no field "${name}", only ${Object.keys(schema.properties).join(', ')}.`);
    }
    if (value === null) throw new YamlFault(at, `${name} has no value. Give one, or remove the line.`);
  }
  const fields = Value.Default(schema, structuredClone(given)) as Record<string, unknown>;
  check(yaml, path, schema, { ...assumed, ...fields });
  return fields;
}

function check(yaml: YamlText, path: readonly (string | number)[], schema: TSchema, fields: unknown): void {
  // Of alternatives, the last one sums up.
  const problem = Value.Errors(schema, fields).at(-1);
  if (!problem) return;
  const steps = pointerSteps(problem.instancePath);
  const inside = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const { keyword, params } = problem as { keyword: string; params: Readonly<Record<string, unknown>> };
  if (keyword === 'required') {
    const [missing] = params['requiredProperties'] as readonly string[];
    throw new YamlFault(yaml.lineOf([...path, ...inside]), `${fieldPath([...steps, String(missing)])} is missing.`);
  }
  const rule =
    keyword === 'type' && params['type'] === 'string' ? 'must be a text: put it in quotes' : ruleOf({ ...problem, keyword, params });
  throw new YamlFault(yaml.lineOf([...path, ...inside]), `${fieldPath(steps)} ${rule}.`);
}

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
