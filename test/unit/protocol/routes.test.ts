import { describe, expect, it } from 'vitest';
import { Automation } from '#protocol/agent/automations/automation.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { credentialSpecs } from '#protocol/credentials.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { exampleOf } from '#protocol/example.ts';
import { GatewayTask } from '#protocol/hosted/gateways.ts';
import { Portal, PublicPortal } from '#protocol/hosted/portals.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { asJsonSchema, type JsonSchema } from '#protocol/json-schema.ts';
import type { Route, RouteTable } from '#protocol/route.ts';
import { schemaCompiler, serialiser } from '../../support/service/schema-validator.ts';

const tables: readonly (readonly [string, RouteTable])[] = [
  ['hosted', hostedRoutes],
  ['agent', agentRoutes],
];

const compileSchema = schemaCompiler();

const parametersOf = (route: Route): string[] => [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');

describe.each(tables)('the %s route table', (which, routes) => {
  const entries = Object.entries(routes);

  it('has each method and path once, whatever their parameters are called', () => {
    const shapes = entries.map(([, route]) => `${route.method} ${route.path.replace(/\{\w+\}/g, '{}')}`);
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });

  it('declares every parameter that a path holds, and no other', () => {
    for (const [name, route] of entries) {
      const declared = Object.keys(route.params ? (asJsonSchema(route.params).properties ?? {}) : {});
      expect(declared.sort(), name).toEqual(parametersOf(route).sort());
    }
  });

  it('says of every route what it does, where it belongs and who may call it', () => {
    for (const [name, route] of entries) {
      expect(route.summary, name).toMatch(/^[A-Z][^\n]+[.?]$/);
      expect(route.tag, name).toMatch(/^[A-Z]/);
      expect(route.credentials.length, name).toBeGreaterThan(0);
      expect(new Set(route.credentials).size, name).toBe(route.credentials.length);
      for (const kind of route.credentials) expect(credentialSpecs, name).toHaveProperty(kind);
    }
  });

  it('begins every path with its version', () => {
    const outside = which === 'agent' ? ['/healthz', '/metrics'] : ['/.well-known/jwks.json'];
    const version = which === 'agent' ? /^\/api\/v1\// : /^\/v1(\.1)?\//;
    for (const [name, { path }] of entries) if (!outside.includes(path)) expect(path, name).toMatch(version);
  });

  it('names only errors of the catalogue, each once', () => {
    for (const [name, route] of entries) {
      const errors = route.errors ?? [];
      for (const error of errors) expect(errorCatalogue, name).toHaveProperty(error);
      expect(new Set(errors).size, name).toBe(errors.length);
    }
  });

  it('has bodies only where methods carry them, and never one on GET or DELETE', () => {
    for (const [name, route] of entries) if (route.body) expect(['POST', 'PUT', 'PATCH'], name).toContain(route.method);
  });

  it.each(entries.filter(([, route]) => route.body))('gives a body example of %s that its schema takes', (_name, route) => {
    const validate = compileSchema(route.body as object);
    for (const example of [route.example ?? exampleOf(asJsonSchema(route.body as never)), exampleOf(asJsonSchema(route.body as never))]) {
      validate(structuredClone(example));
      expect(validate.errors ?? []).toEqual([]);
    }
  });

  it.each(entries.filter(([, route]) => 'body' in route.reply))('can show a reply of %s that its schema takes', (_name, route) => {
    if (!('body' in route.reply)) throw new Error('filtered above');
    const validate = compileSchema(route.reply.body);
    validate(exampleOf(asJsonSchema(route.reply.body)));
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each(entries.filter(([, route]) => 'body' in route.reply))('sends every field of a reply of %s', (_name, route) => {
    if (!('body' in route.reply)) throw new Error('filtered above');
    const example = exampleOf(asJsonSchema(route.reply.body));
    expect(JSON.parse(serialiser(route.reply.body)(example))).toEqual(example);
  });

  it.each(entries.filter(([, route]) => route.params))('has a schema of the parameters of %s that holds', (_name, route) => {
    expect(compileSchema(route.params as object)({})).toBe(false);
  });

  it.each(entries.filter(([, route]) => route.query))('takes %s with no more query than what it requires', (_name, route) => {
    const schema = asJsonSchema(route.query as never);
    const required = (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, name)]);
    const validate = compileSchema(route.query as object);
    validate(Object.fromEntries(required));
    expect(validate.errors ?? []).toEqual([]);
  });
});

it('gives every credential but a link and none a header', () => {
  const without = Object.entries(credentialSpecs).filter(([, spec]) => spec.header === null);
  expect(without.map(([kind]) => kind)).toEqual(['link', 'none']);
});

it.each([
  ['getPortal', hostedRoutes.getPortal.reply.body, [Portal, PublicPortal]],
  ['getAutomation', agentRoutes.getAutomation.reply.body, asJsonSchema(Automation).anyOf ?? []],
  ['a task of pollStorageGateway', GatewayTask, asJsonSchema(GatewayTask).anyOf ?? []],
])('sends each variant of %s whole, and nothing of another', (_name, schema, variants) => {
  expect(variants.length).toBeGreaterThan(1);
  const send = serialiser(schema);
  for (const variant of variants) {
    const example = exampleOf(variant as JsonSchema);
    expect(JSON.parse(send(example))).toEqual(example);
  }
});
