import { credentialSpecs } from './credentials.ts';
import { type ErrorName, errorCatalogue } from './errors.ts';
import { exampleOf } from './example.ts';
import { asJsonSchema, type JsonSchema } from './json-schema.ts';
import type { CredentialKind, Route, RouteTable } from './route.ts';
import { errorsByStatus, errorsOf } from './route-errors.ts';

/** What a described API is called and where it answers. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  /** A sentence or two for the top of the page. */
  readonly description: string;
  /** The address that the paths are appended to, without a trailing slash. */
  readonly serverUrl: string;
  /** Whether creating calls take `Idempotency-Key` (decisions, "Hosted API, common"). */
  readonly idempotencyKeys?: boolean;
  /** When calls can need a bearer token on top (the agent beyond loopback): in which case, in one sentence. */
  readonly bearerToken?: string;
  /** Names of routes that are described but not served yet. */
  readonly pending?: readonly string[];
}

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of a route table. Schemas with a `title` become components of that name,
 * once each; all others stand where they are used.
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
  const pending = info.pending?.includes(name) ?? false;
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    ...description(route, pending),
    ...(pending ? { 'x-not-served-yet': true } : {}),
    security: security(route.credentials, info),
    parameters: parameters(route, info),
    ...(route.body ? { requestBody: requestBody(asJsonSchema(route.body), route.example, components) } : {}),
    responses: { ...success(route, components), ...failures(route) },
  };
}

/** What does not fit the other parts of an operation, in Markdown. */
function description(route: Route, pending: boolean): Json {
  const parts = [
    ...(pending ? ['Described, but not served yet.'] : []),
    ...(route.tables ?? []).map(({ title, columns, rows }) =>
      [`### ${title}`, '', ...[columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)].join('\n'),
    ),
  ];
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
        // A parameter with a default can be left out, though its validated form always has it.
        required: required.includes(name) && !('default' in property),
        ...(description ? { description } : {}),
        schema: rest,
        // Repeated and comma-separated values are both read; the latter is what is shown.
        ...(property.type === 'array' ? { style: 'form', explode: false } : {}),
      });
    }
  }
  if (route.credentials.includes('link')) made.push(header('X-Link-Password', "The link's password, if it has one."));
  if (info.idempotencyKeys && creates(route)) {
    made.push(header('Idempotency-Key', 'Asking again with the same key and body within 24 h gives the first answer again.'));
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

/** Whether a call makes something new, so that sending it twice matters. */
export const creates = (route: Route): boolean => route.method === 'POST' && route.reply.status === 201;

function requestBody(schema: JsonSchema, example: unknown, components: Components): Json {
  return { required: true, content: { 'application/json': { schema: components.place(schema), example: example ?? exampleOf(schema) } } };
}

function success(route: Route, components: Components): Json {
  const { reply } = route;
  if ('body' in reply) {
    const schema = asJsonSchema(reply.body);
    return {
      [reply.status]: {
        description: 'Done.',
        content: { 'application/json': { schema: components.place(schema), example: exampleOf(schema) } },
      },
    };
  }
  if ('stream' in reply)
    return { [reply.status]: { description: 'A stream.', content: { [reply.stream]: { schema: { type: 'string' } } } } };
  return { [reply.status]: { description: 'Done; no body.' } };
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
  const used = new Set(Object.values(routes).flatMap((route) => errorsOf(route)));
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

/** Collects titled schemas and puts references in their places. */
class Components {
  readonly #made = new Map<string, { readonly source: string; readonly schema: Json }>();

  schemas(): Json {
    return Object.fromEntries([...this.#made].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema]));
  }

  /** The schema, each titled part of it replaced by a reference. */
  place(schema: JsonSchema): Json {
    if (schema.title === undefined) return this.#inside(schema);
    const { title } = schema;
    // The same schema may stand in two places with descriptions of their own.
    const { description: _, ...shape } = schema;
    const source = JSON.stringify(shape);
    const before = this.#made.get(title);
    if (before && before.source !== source) throw new Error(`Two schemas have the title ${title}. Titles name one component each.`);
    if (!before) this.#made.set(title, { source, schema: this.#inside(schema) });
    return { $ref: `#/components/schemas/${title}` };
  }

  #inside(schema: JsonSchema): Json {
    const made: Json = { ...schema };
    if (schema.items) made['items'] = this.place(schema.items);
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const choices = schema[key];
      if (choices) made[key] = choices.map((one) => this.place(one));
    }
    for (const key of ['properties', 'patternProperties'] as const) {
      const members = schema[key];
      if (members) made[key] = Object.fromEntries(Object.entries(members).map(([name, one]) => [name, this.place(one)]));
    }
    // What has a default may be left out of what is sent.
    const required = schema.required?.filter((name) => !('default' in (schema.properties?.[name] ?? {})));
    if (required) made['required'] = required;
    if (typeof schema.additionalProperties === 'object') made['additionalProperties'] = this.place(schema.additionalProperties);
    return made;
  }
}
