import { type JsonSchema, mapValues } from './json-schema.ts';

/** Default examples by property name, for strings without an example of their own. */
const byName: Readonly<Record<string, string>> = {
  name: 'Dailies, day 12',
  package_name: 'Dailies, day 12',
  description: 'A and B camera',
  package_description: 'A and B camera',
  message: 'Please send camera originals only.',
  sender: 'mia@example.com',
  email: 'mia@example.com',
  sender_email: 'mia@example.com',
  recipient_email: 'post@example.com',
  recipients: 'post@example.com',
  subdomain: 'northlight',
  time_zone: 'Europe/Berlin',
  url: 'https://share.example.com/d/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  path: 'camera-a',
  paths: '/media/A001',
  dst_folder: '/media/incoming',
  folder: '/media/incoming',
  password: '',
  download_password: '****',
  access_code: 'harbour-12',
  access_list: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  cc_recipients: 'post@example.com',
  version: '0.1.0',
  primary_color: '#1f6feb',
};

/**
 * Makes a value that fits a schema, for docs and tests: its first `examples`, `default`, `const` or `enum` value if
 * there is one, otherwise the simplest valid value. Objects get every property, optional ones too. Deterministic: the
 * same schema gives the same value.
 *
 * @param hint the property's name, which selects a realistic string
 * @throws Error for a string with a `pattern`, or a format it does not know, and no example: nothing can be guessed then
 */
export function exampleOf(schema: JsonSchema, hint = ''): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0];
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => exampleOf(one, hint)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.[0]) return exampleOf(choices[0], hint);
  switch (schema.type) {
    case 'object':
      return exampleObject(schema, hint);
    case 'array':
      return exampleArray(schema, hint);
    case 'string':
      return exampleString(schema, hint);
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return {};
  }
}

function exampleObject(schema: JsonSchema, hint: string): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) made[name] = exampleOf(property, name);
  const values = mapValues(schema);
  if (!values) return made;
  const wanted = Math.max(schema.minProperties ?? 0, Math.min(1, schema.maxProperties ?? 1));
  for (let number = 1; Object.keys(made).length < wanted; number++)
    made[number === 1 ? 'name' : `name_${number}`] = exampleOf(values, hint);
  return made;
}

function exampleArray(schema: JsonSchema, hint: string): unknown[] {
  const length = Math.max(schema.minItems ?? 0, Math.min(1, schema.maxItems ?? 1));
  if (!schema.items || length === 0) return [];
  const item = exampleOf(schema.items, hint);
  return Array.from({ length }, () => item);
}

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T18:04:11.000Z',
  date: '2026-11-20',
  email: 'mia@example.com',
  uri: 'https://example.com/',
  uuid: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
};

function exampleString(schema: JsonSchema, hint: string): string {
  if (schema.pattern !== undefined) throw new Error(`A string with the pattern ${schema.pattern} needs an entry in "examples" (${hint}).`);
  if (schema.format !== undefined) {
    const known = byFormat[schema.format];
    if (known === undefined) throw new Error(`A string of the format ${schema.format} needs an entry in "examples" (${hint}).`);
    return known;
  }
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const telling = tellingString(hint);
  // JSON schema counts lengths in code points.
  const letters = [...telling];
  return (letters.length < minLength ? [...letters, ...'x'.repeat(minLength - letters.length)] : letters.slice(0, maxLength)).join('');
}

function tellingString(hint: string): string {
  if (Object.hasOwn(byName, hint)) return byName[hint] ?? '';
  if (hint === 'id' || hint.endsWith('_id') || hint.endsWith('_ids')) return '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';
  if (hint === 'token' || hint.endsWith('_token')) return 'eyJhbGciOiJIUzI1NiJ9…';
  return hint;
}

function exampleNumber(schema: JsonSchema): number {
  const step = schema.multipleOf ?? 1;
  const low = schema.minimum ?? Math.min(0, schema.maximum ?? 0);
  const up = Math.ceil(low / step) * step;
  return schema.type === 'number' && schema.multipleOf === undefined ? low : up;
}
