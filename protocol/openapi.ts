import { credentialSpecs } from './credentials.ts';
import { type ErrorName, errorCatalogue } from './errors.ts';
import { exampleOf } from './example.ts';
import { asJsonSchema, type JsonSchema } from './json-schema.ts';
import type { CredentialKind, OutboundCall, OutboundCalls, Route, RouteTable } from './route.ts';
import { errorsByStatus, errorsOf } from './route-errors.ts';

/** Name and address of a described API. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  /** A sentence or two for the top of the page. */
  readonly description: string;
  /** The address that the paths are appended to, without a trailing slash. */
  readonly serverUrl: string;
  /** Whether calls that create accept `Idempotency-Key` (contract/conventions.md §7). */
  readonly idempotencyKeys?: boolean;
  /** When calls also need a bearer token (the agent beyond loopback): the condition, in one sentence. */
  readonly bearerToken?: string;
  /** The requests that the API itself sends to subscribers. */
  readonly webhooks?: OutboundCalls;
}

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of a route table. A schema with a `title` becomes a component of that name, once; all others
 * are inlined.
 *
 * @throws Error when two different schemas have one title, or a schema has no example that can be made
 */
export function openApi(routes: RouteTable, info: ApiInfo): Json {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries(routes)) {
    const item = paths[route.path] ?? {};
    item[route.method.toLowerCase()] = operation(name, route, info, components);
    paths[route.path] = item;
  }
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, description: info.description },
    servers: [{ url: info.serverUrl }],
    tags: [...new Set(Object.values(routes).map((route) => route.tag))].map((name) => ({ name })),
    paths,
    ...(info.webhooks ? { webhooks: outbound(info.webhooks, components) } : {}),
    components: {
      securitySchemes: securitySchemes(routes, info),
      schemas: { Error: errorSchema, ...components.schemas() },
      examples: errorExamples(routes),
    },
  };
}

const errorSchema = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'integer', description: '`(area << 16) | number`. Stable: programs decide by it.' },
    message: { type: 'string', description: 'What is wrong and what to do, for a person.' },
  },
};

function operation(name: string, route: Route, info: ApiInfo, components: Components): Json {
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    ...description(route),
    security: security(route.credentials, info),
    parameters: parameters(route, info),
    ...(route.body ? { requestBody: requestBody(asJsonSchema(route.body), route.example, components) } : {}),
    ...(route.bytes ? { requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } } } : {}),
    responses: { ...success(route, components), ...failures(route) },
  };
}

/** Everything that has no field of its own in an operation, in Markdown. */
function description(route: Route): Json {
  const parts = (route.tables ?? []).map(({ title, columns, rows }) =>
    [`### ${title}`, '', ...[columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)].join('\n'),
  );
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

function parameters(route: Route, info: ApiInfo): Json[] {
  const made: Json[] = [];
  for (const place of ['path', 'query'] as const) {
    const schema = place === 'path' ? route.params : route.query;
    if (!schema) continue;
    const { properties = {}, required = [] } = asJsonSchema(schema);
    for (const [name, property] of Object.entries(properties)) {
      const { description, ...rest } = property;
      made.push({
        name,
        in: place,
        // A parameter with a default is optional, although its validated value is always present.
        required: required.includes(name) && !('default' in property),
        ...(description ? { description } : {}),
        schema: rest,
        // Repeated and comma-separated values are both accepted; the docs show the latter.
        ...(property.type === 'array' ? { style: 'form', explode: false } : {}),
      });
    }
  }
  if (route.credentials.includes('link')) made.push(header('X-Link-Password', "The link's password, if it has one."));
  if (route.errors?.includes('link_code_required')) made.push(header('X-Link-Code', linkCodeWords));
  if (guessable(route)) made.push(header('X-Device-Secret', deviceSecretWords));
  if (info.idempotencyKeys && creates(route)) {
    made.push(header('Idempotency-Key', idempotencyKeyWords));
    if (takesSenders(route)) made.push(header('X-Sender-Secret', senderSecretWords));
  }
  return made;
}

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', maxLength: 1_024 },
});

export const linkCodeWords = 'The code that was mailed, or `proof` of an earlier answer, if the link asks for one.';

export const idempotencyKeyWords =
  'Asking again with the same key and body within 24 h gives the first answer again, to the same caller and only while they may still ask.';
export const senderSecretWords =
  'With an Idempotency-Key, for callers without an account: 16 to 255 random characters of your own. Whoever shows the same secret gets the first answer again, from wherever they ask. Without it, only the same address does.';

export const deviceSecretWords =
  'A random secret of 16 to 255 characters that this device keeps. Once the right answer came with it, wrong answers from elsewhere no longer keep this device out. The service keeps a hash only.';

/** Whether the call checks a secret that users choose, so that wrong attempts are counted. */
export const guessable = (route: Route): boolean =>
  (route.errors ?? []).some((error) => error === 'wrong_password' || error === 'access_code_wrong' || error === 'link_password_wrong');

/** Whether users without an account make the call. */
export const takesSenders = (route: Route): boolean => route.credentials.some((kind) => kind === 'access_code' || kind === 'none');

/** Whether a call creates something, so that a retry could create it twice. */
export const creates = (route: Route): boolean => route.method === 'POST' && route.reply.status === 201;

function requestBody(schema: JsonSchema, example: unknown, components: Components): Json {
  return {
    required: true,
    content: { 'application/json': { schema: components.reference(schema), example: example ?? exampleOf(schema) } },
  };
}

function success(route: Route, components: Components): Json {
  const { reply } = route;
  if ('body' in reply) {
    const schema = asJsonSchema(reply.body);
    return {
      [reply.status]: {
        description: 'Done.',
        content: { 'application/json': { schema: components.reference(schema), example: exampleOf(schema) } },
      },
    };
  }
  if ('stream' in reply) {
    const schema = reply.messages ? messages(asJsonSchema(reply.messages), components) : { type: 'string' };
    return { [reply.status]: { description: 'A stream.', content: { [reply.stream]: { schema } } } };
  }
  return { [reply.status]: { description: 'Done; no body.' } };
}

/** OpenAPI 3.1 cannot describe the messages of a stream; JSON Schema can describe the content of a string. */
const messages = (schema: JsonSchema, components: Components): Json => ({
  type: 'string',
  description: 'Server-sent events. The `data:` line of each holds one JSON object, as `contentSchema` has it.',
  contentMediaType: 'application/json',
  contentSchema: components.reference(schema),
});

function outbound(calls: OutboundCalls, components: Components): Json {
  const path = ({ summary, method, headers, body }: OutboundCall, name: string): Json => ({
    [method.toLowerCase()]: {
      operationId: `webhook ${name}`,
      summary,
      tags: ['Webhooks'],
      parameters: headers.map((one) => ({ ...header(one.name, one.description), required: true })),
      requestBody: requestBody(asJsonSchema(body), undefined, components),
      responses: { '2XX': { description: 'Received. Any other answer, or none within 15 s, is tried again.' } },
    },
  });
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, path(call, name)]));
}

function failures(route: Route): Json {
  const made: Record<string, Json> = {};
  for (const [status, names] of errorsByStatus(route)) {
    made[status] = {
      description: names.map((name) => `\`${name}\` (${errorCatalogue[name].code})`).join(', '),
      ...(status === 429 ? { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } } } : {}),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
        },
      },
    };
  }
  return made;
}

function errorExamples(routes: RouteTable): Json {
  const used = new Set(Object.values(routes).flatMap(errorsOf));
  const example = (name: ErrorName): Json => ({ value: { code: errorCatalogue[name].code, message: errorCatalogue[name].message } });
  return Object.fromEntries([...used].sort().map((name) => [name, example(name)]));
}

function security(kinds: readonly CredentialKind[], info: ApiInfo): Json[] {
  const schemes = new Set(kinds.map((kind) => credentialSpecs[kind].scheme));
  const alternatives = [...schemes].map((scheme) => (scheme === null ? {} : { [scheme]: [] }));
  if (info.bearerToken === undefined) return alternatives;
  return [...alternatives, ...alternatives.map((one) => ({ ...one, bearer: [] }))];
}

function securitySchemes(routes: RouteTable, info: ApiInfo): Json {
  const used = new Set(Object.values(routes).flatMap((route) => route.credentials));
  const made: Record<string, Json> = {};
  for (const kind of used) {
    const { scheme, header: name, meaning } = credentialSpecs[kind];
    if (scheme === null) continue;
    const before = made[scheme]?.['description'];
    made[scheme] = {
      type: 'apiKey',
      in: name === null ? 'query' : 'header',
      name: name ?? 'secret',
      description: before === undefined ? meaning : `${before} ${meaning}`,
    };
  }
  if (info.bearerToken !== undefined) made['bearer'] = { type: 'http', scheme: 'bearer', description: info.bearerToken };
  return made;
}

/** Collects schemas with a title and replaces them by references. */
class Components {
  readonly #made = new Map<string, { readonly source: string; readonly schema: Json }>();

  schemas(): Json {
    return Object.fromEntries([...this.#made].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema]));
  }

  /** The schema with a reference in place of each part that has a title. */
  reference(schema: JsonSchema): Json {
    if (schema.title === undefined) return this.#inside(schema);
    const { title } = schema;
    // The same schema may be used twice with different descriptions.
    const { description: _, ...shape } = schema;
    const source = JSON.stringify(shape);
    const before = this.#made.get(title);
    if (before && before.source !== source) throw new Error(`Two schemas have the title ${title}. Titles name one component each.`);
    if (!before) this.#made.set(title, { source, schema: this.#inside(schema) });
    return { $ref: `#/components/schemas/${title}` };
  }

  #inside(schema: JsonSchema): Json {
    const made: Json = { ...schema };
    if (schema.items) made['items'] = this.reference(schema.items);
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const choices = schema[key];
      if (choices) made[key] = choices.map((one) => this.reference(one));
    }
    for (const key of ['properties', 'patternProperties'] as const) {
      const members = schema[key];
      if (members) made[key] = Object.fromEntries(Object.entries(members).map(([name, one]) => [name, this.reference(one)]));
    }
    // A field with a default is optional in a request.
    const required = schema.required?.filter((name) => !('default' in (schema.properties?.[name] ?? {})));
    if (required) made['required'] = required;
    if (typeof schema.additionalProperties === 'object') made['additionalProperties'] = this.reference(schema.additionalProperties);
    return made;
  }
}
