import { describe, expect, it } from 'vitest';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { webhookCalls, webhookEvents } from '#protocol/hosted/webhook-events.ts';
import { type ApiInfo, openApi } from '#protocol/openapi.ts';
import type { RouteTable } from '#protocol/route.ts';
import { documentCompiler } from '../support/service/schema-validator.ts';

/** The shape of OpenAPI 3.1, as far as its text says it in words that a program can check. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}
interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { $ref: string }>;
}
interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly security: Record<string, string[]>[];
  readonly parameters: Parameter[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, Media> }>;
}
interface Outbound {
  readonly parameters: Parameter[];
  readonly requestBody: { readonly content: Record<string, Media> };
}
interface Document {
  readonly webhooks?: Record<string, { readonly post: Outbound }>;
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: { readonly url: string }[];
  readonly tags: { readonly name: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly securitySchemes: Record<string, object>;
    readonly examples: object;
  };
}

const info: ApiInfo = { title: 'Longshore', version: '0.1.0', description: 'For tests.', serverUrl: 'http://127.0.0.1:8080' };
const make = (routes: RouteTable, more: Partial<ApiInfo> = {}): Document =>
  // As it travels: what JSON drops is not part of it.
  JSON.parse(JSON.stringify(openApi(routes, { ...info, ...more }))) as Document;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');

function* references(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') yield inner;
    else yield* references(inner);
  }
}

const at = (document: object, pointer: string): unknown =>
  pointer
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

describe.each([
  ['hosted', hostedRoutes, { idempotencyKeys: true, webhooks: webhookCalls }],
  ['agent', agentRoutes, { bearerToken: 'Beyond this machine.' }],
] as const)('the OpenAPI document of the %s API', (_name, routes, more) => {
  const document = make(routes, more);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

  it('has the top-level fields that OpenAPI 3.1 requires', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Longshore', version: '0.1.0' });
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:8080' }]);
  });

  it('describes every route once, under its name', () => {
    expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(routes).sort());
    for (const { path, method } of operations) {
      expect(path).toMatch(/^\//);
      expect(['get', 'post', 'put', 'patch', 'delete']).toContain(method);
    }
  });

  it('declares each path parameter, required, and no parameter twice', () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((one) => one.in === 'path');
      expect(inPath.map((one) => one.name).sort()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort());
      expect(inPath.every((one) => one.required)).toBe(true);
      const keys = operation.parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(keys).size).toBe(keys.length);
      for (const one of operation.parameters) expect(['path', 'query', 'header']).toContain(one.in);
    }
  });

  it('uses only tags and security schemes that it declares', () => {
    const tags = document.tags.map((tag) => tag.name);
    for (const { operation } of operations) {
      for (const tag of operation.tags) expect(tags).toContain(tag);
      expect(operation.security.length).toBeGreaterThan(0);
      for (const scheme of operation.security.flatMap((one) => Object.keys(one)))
        expect(document.components.securitySchemes).toHaveProperty(scheme);
    }
  });

  it('has one success and the errors of the catalogue by status for each operation', () => {
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => status.startsWith('2'))).toHaveLength(1);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description).not.toBe('');
        if (status.startsWith('2')) continue;
        for (const name of Object.keys(response.content?.['application/json']?.examples ?? {}))
          expect(errorCatalogue[name as keyof typeof errorCatalogue].status).toBe(Number(status));
      }
    }
  });

  it('has the fields of each message of its streams of events', () => {
    const streams = operations.flatMap(({ operation }) => {
      const media = operation.responses['200']?.content?.['text/event-stream'];
      return media ? [media.schema as { contentSchema?: { $ref?: string; anyOf?: object[] } }] : [];
    });
    expect(streams.length).toBeGreaterThan(0);
    for (const { contentSchema } of streams) {
      const schema = contentSchema?.$ref ? (at(document, contentSchema.$ref) as { properties?: object }) : contentSchema;
      expect(JSON.stringify(schema)).toContain('"type":{');
    }
  });

  it('has only references that resolve within it', () => {
    const found = [...new Set(references(document))];
    expect(found.length).toBeGreaterThan(0);
    for (const reference of found) expect(at(document, reference), reference).toBeDefined();
  });

  it('has schemas that compile as JSON Schema 2020-12, and examples that are valid', () => {
    const compile = documentCompiler(document);
    let examples = 0;
    for (const { path, method, operation } of operations) {
      const place = `/paths/${escaped(path)}/${method}`;
      for (const [index, parameter] of operation.parameters.entries()) {
        expect(() => compile(`${place}/parameters/${index}/schema`), `${parameter.name} of ${operation.operationId}`).not.toThrow();
      }
      const bodies = [
        ['/requestBody', operation.requestBody?.content] as const,
        ...Object.entries(operation.responses).map(([status, response]) => [`/responses/${status}`, response.content] as const),
      ];
      for (const [where, content] of bodies) {
        for (const [type, media] of Object.entries(content ?? {})) {
          const validate = compile(`${place}${where}/content/${escaped(type)}/schema`);
          if (media.example === undefined) continue;
          validate(media.example);
          expect(validate.errors ?? [], `${operation.operationId}${where}`).toEqual([]);
          examples++;
        }
      }
    }
    expect(examples).toBeGreaterThan(operations.length / 2);
  });
});

describe('openApi', () => {
  const hosted = make(hostedRoutes, { idempotencyKeys: true });
  const operation = (path: string, method: string): Operation => {
    const found = hosted.paths[path]?.[method];
    if (!found) throw new Error(`${method} ${path} is missing`);
    return found;
  };

  it('offers alternative credentials, and none where none is needed', () => {
    expect(operation('/v1/teams/{team_id}/packages', 'post').security).toEqual([{ apiKey: [] }, { userToken: [] }]);
    expect(operation('/v1/packages/{package_id}', 'get').security).toEqual([{ packageToken: [] }]);
    expect(operation('/v1/portals/{portal_id}/packages', 'post').security).toEqual([{ accessCode: [] }, {}]);
    expect(operation('/v1/auth', 'post').security).toEqual([{}]);
  });

  it('takes Idempotency-Key exactly where something is created', () => {
    const takes = (path: string, method: string) => operation(path, method).parameters.some((one) => one.name === 'Idempotency-Key');
    expect(takes('/v1/teams/{team_id}/packages', 'post')).toBe(true);
    expect(takes('/v1/packages/{package_id}/finalize', 'post')).toBe(false);
    expect(takes('/v1/packages/{package_id}', 'put')).toBe(false);
  });

  it('has the password of a link and the secret of a device as headers', () => {
    expect(operation('/v1/links/{link_id}', 'get').parameters.map((one) => `${one.in} ${one.name} ${one.required}`)).toEqual([
      'path link_id true',
      'query secret true',
      'header X-Link-Password false',
      'header X-Link-Code false',
      'header X-Device-Secret false',
    ]);
  });

  it('does not require what has a default', () => {
    const { parameters } = operation('/v1.1/teams/{team_id}/packages', 'get');
    expect(parameters.filter((one) => one.required).map((one) => one.name)).toEqual(['team_id']);
  });

  it('has the bodies that webhooks receive, each with a valid example', () => {
    const document = make(hostedRoutes, { webhooks: webhookCalls });
    const compile = documentCompiler(document);
    expect(Object.keys(document.webhooks ?? {}).sort()).toEqual([...webhookEvents].sort());
    for (const [name, { post }] of Object.entries(document.webhooks!)) {
      expect(post.parameters.map((one) => one.name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
      const validate = compile(`/webhooks/${name}/post/requestBody/content/${escaped('application/json')}/schema`);
      validate(post.requestBody.content['application/json']!.example);
      expect(validate.errors ?? []).toEqual([]);
    }
  });

  it('refuses two different schemas with one title', async () => {
    const { Type } = await import('typebox');
    const route = (body: RouteTable[string]['body'], path: string): RouteTable[string] =>
      ({
        method: 'POST',
        path,
        summary: 'S.',
        tag: 'T',
        credentials: ['none'],
        ...(body ? { body } : {}),
        reply: { status: 204 },
      }) as const;
    const one = Type.Object({ a: Type.String() }, { title: 'Same' });
    const other = Type.Object({ b: Type.String() }, { title: 'Same' });
    expect(() => openApi({ one: route(one, '/a'), other: route(other, '/b') }, info)).toThrow(/title Same/);
    expect(() => openApi({ one: route(one, '/a'), other: route(one, '/b') }, info)).not.toThrow();
  });
});
