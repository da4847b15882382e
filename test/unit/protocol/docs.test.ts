import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { curlLine } from '#protocol/docs/curl.ts';
import { fieldsOf } from '#protocol/docs/fields.ts';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { webhookCalls } from '#protocol/hosted/webhook-events.ts';
import type { JsonSchema } from '#protocol/json-schema.ts';
import type { ApiInfo } from '#protocol/openapi.ts';
import { defineRoutes } from '#protocol/route.ts';

const info: ApiInfo = { title: 'Longshore', version: '0.1.0', description: 'For tests.', serverUrl: 'http://127.0.0.1:8080' };

describe.each([
  ['hosted', hostedRoutes],
  ['agent', agentRoutes],
] as const)('the reference page of the %s API', (_name, routes) => {
  const page = docsPage(routes, { ...info, webhooks: webhookCalls });
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);

  it('has an article for each route', () => {
    for (const name of Object.keys(routes)) expect(page).toContain(`<article id="${name}"`);
  });

  it('has each id once, and every link inside it leads somewhere', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
  });

  it('runs nothing and asks nobody: no script, no inline style, no handler, no foreign address', () => {
    expect(page).not.toMatch(/<script|<style|<iframe|<img|javascript:/i);
    expect(page).not.toMatch(/<[^>]*\s(style|on[a-z]+)=/i);
    const addresses = [...page.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map((match) => match[1]);
    expect(addresses.sort()).toEqual(['docs.css', 'openapi.json']);
    expect(docsStyle).not.toMatch(/url\(|@import/);
  });

  it('opens and closes the same elements', () => {
    const opened: string[] = [];
    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (['meta', 'link', 'wbr', 'br'].includes(name)) continue;
      if (slash === '') opened.push(name);
      else expect(opened.pop()).toBe(name);
    }
    expect(opened).toEqual([]);
  });
});

describe('docsPage', () => {
  it('shows the fields of streams and of what webhooks receive', () => {
    const hosted = docsPage(hostedRoutes, { ...info, webhooks: webhookCalls });
    const agent = docsPage(agentRoutes, info);
    expect(hosted).toMatch(/Each message: .*<code>unnamed_<wbr>changes<\/code>/s);
    expect(agent).toMatch(/Each message: .*<code>transfer_<wbr>id<\/code>.*if type is transfer\.removed/s);
    expect(hosted).toMatch(/id="webhook-package-finalized".*<code>webhook-signature<\/code>.*<code>object\.<wbr>portal_<wbr>id<\/code>/s);
  });

  const hostile = '<script>alert(1)</script>"\'&';
  const routes = defineRoutes({
    made: {
      method: 'POST',
      path: '/v1/made',
      summary: `Says ${hostile}.`,
      tag: hostile,
      credentials: ['none'],
      body: Type.Object({ [hostile]: Type.String({ description: hostile, default: hostile }) }),
      reply: { status: 204 },
      tables: [{ title: hostile, columns: [hostile], rows: [[hostile]] }],
    },
  });

  it('escapes all that it is given', () => {
    const page = docsPage(routes, { ...info, title: hostile, description: hostile, serverUrl: hostile, version: hostile });
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script&gt;');
  });
});

describe('fieldsOf', () => {
  const rows = (schema: JsonSchema): string[] =>
    fieldsOf(schema).map((field) =>
      [field.path, field.type, field.required ? 'required' : '', ...field.facts].filter((part) => part !== '').join(' · '),
    );

  it.each<[string, JsonSchema, string[]]>([
    ['a plain value', { type: 'string', maxLength: 5 }, ['string · required · up to 5 characters']],
    ['a list of plain values', { type: 'array', items: { type: 'integer', minimum: 1 } }, ['[] · integer · required · at least 1']],
    [
      'what has a default as not required',
      { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 1, maximum: 50, default: 50 } } },
      ['a · integer · 1–50 · default 50'],
    ],
    [
      'nested objects, lists and maps by their paths',
      {
        type: 'object',
        required: ['list'],
        properties: {
          list: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
          map: { type: 'object', patternProperties: { '^.*$': { type: 'object', properties: { value: { type: 'number' } } } } },
        },
      },
      ['list · object[] · required', 'list[].id · string', 'map · map of object', 'map.{name} · object', 'map.{name}.value · number'],
    ],
    [
      'what can be null',
      { type: 'object', properties: { a: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] } } },
      ['a · date-time or null'],
    ],
    [
      'variants by what tells them apart',
      {
        anyOf: [
          { type: 'object', required: ['kind'], properties: { kind: { enum: ['a'] }, both: { type: 'string' }, one: { type: 'string' } } },
          { type: 'object', required: ['kind'], properties: { kind: { enum: ['b'] }, both: { type: 'string' } } },
        ],
      },
      ['kind · string · required · a · b', 'both · string', 'one · string · if kind is a'],
    ],
    [
      'variants by their titles where nothing tells them apart',
      {
        anyOf: [
          { title: 'Whole', type: 'object', properties: { name: { type: 'string' }, secret: { type: 'string' } } },
          { title: 'Public', type: 'object', properties: { name: { type: 'string' } } },
        ],
      },
      ['name · string', 'secret · string · in Whole'],
    ],
  ])('shows %s', (_what, schema, expected) => {
    expect(rows(schema)).toEqual(expected);
  });
});

describe('curlLine', () => {
  it('is a command that a shell takes as it stands, quotes and all', () => {
    const { made } = defineRoutes({
      made: {
        method: 'PUT',
        path: '/v1/teams/{team_id}/made',
        summary: 'Makes.',
        tag: 'T',
        credentials: ['api_key', 'user'],
        query: Type.Object({ secret: Type.String(), start: Type.Integer({ minimum: 2 }), page: Type.Integer({ default: 1 }) }),
        body: Type.Object({ name: Type.String() }),
        reply: { status: 204 },
        example: { name: "it's" },
      },
    });
    expect(curlLine(made, 'http://h').split(' \\\n  ')).toEqual([
      'curl -X PUT "http://h/v1/teams/$TEAM_ID/made?secret=$SECRET&start=2"',
      '-H "X-API-KEY: $API_KEY"',
      "-H 'Content-Type: application/json'",
      `-d '{"name":"it'\\''s"}'`,
    ]);
  });
});
