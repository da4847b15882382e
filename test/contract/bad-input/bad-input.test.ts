import fs from 'node:fs';
import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { exampleOf } from '#protocol/example.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import { asJsonSchema, type JsonSchema, mapValues } from '#protocol/json-schema.ts';
import { limits } from '#protocol/limits.ts';
import type { Route } from '#protocol/route.ts';
import { coerceQuery } from '#service/http/query.ts';
import { runs, soaking } from '#test/support/faults/seeds.ts';
import { inTurn, whole } from '#test/support/level.ts';
import { schemaCompiler } from '#test/support/service/schema-validator.ts';
import { mfaTakesFromPeople } from '../permissions/mfa-asks.ts';
import { makeWorld, type World } from '../permissions/world.ts';
import { type BodyField, bodyFieldsOf, nameOf, without, withValue } from './body-fields.ts';
import { everything } from './database-digests.ts';
import { type Subject, subjectOf } from './subject.ts';
import { anyJson, edgeValues, unstorable } from './values.ts';

/**
 * Every endpoint × every field of its body and query × values that it must not take, from the route
 * table: 400, the field named, nothing changed, nothing of the inside shown, nothing secret in the log.
 */

const routes: Readonly<Record<string, Route>> = hostedRoutes;
const served = Object.entries(routes) as [HostedRouteName, Route][];
const withBody = served.filter(([, route]) => route.body);
const withQuery = served.filter(([, route]) => route.query);

const compile = schemaCompiler();
/** The rules of a schema that a value breaks, as the service's validator says, in one text; '' if it fits. */
const brokenRules = (schema: object) => {
  // Where a field has a default, its place knows that; here it would be one of nothing.
  const { default: _, ...rest } = schema as JsonSchema;
  const validate = compile(rest);
  // A copy, since defaults are filled in.
  return (value: unknown) => (validate(structuredClone(value)) ? '' : (validate.errors ?? []).map((error) => error.schemaPath).join());
};
/** Whether a value fits. */
const judge = (schema: object) => {
  const broken = brokenRules(schema);
  return (value: unknown) => broken(value) === '';
};

let world: World;
let logged: string[];
beforeAll(async () => {
  world = await makeWorld({ logLevel: 'info' });
});
afterAll(() => world?.close());

beforeEach(() => {
  logged = [];
  const write = fs.writeSync.bind(fs) as (fd: number, text: string) => number;
  vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, data: unknown) => {
    if (fd !== 2) return write(fd, data as string);
    logged.push(String(data));
    return Buffer.byteLength(String(data));
  }) as typeof fs.writeSync);
});
afterEach(() => {
  vi.restoreAllMocks();
  // A refused request is the caller's matter: the log has nothing of it.
  expect(logged).toEqual([]);
});

/** In which one entry that is wrong holds up none of the others: each is refused by itself. */
const batches: ReadonlySet<string> = new Set(['createFiles', 'finalizeFiles', 'recordFiles']);

interface Refusal {
  readonly status: number;
  readonly body: { readonly code: number; readonly message: string };
}

async function send(route: Route, { headers, path, query }: Subject, body: unknown): Promise<Refusal> {
  // Its answer goes on for minutes: how it begins is all that is asked.
  if ('stream' in route.reply && route.reply.stream === 'text/event-stream')
    return await begin(new URL(query === undefined ? path : `${path}?${query}`, world.at.url), headers);
  const answer = await world.at.call<Refusal['body']>(route.method, query === undefined ? path : `${path}?${query}`, { headers, body });
  return { status: answer.status, body: answer.body };
}

async function begin(url: URL, headers: Readonly<Record<string, string>>): Promise<Refusal> {
  const answer = await fetch(url, { headers });
  if (!answer.ok) return { status: answer.status, body: (await answer.json()) as Refusal['body'] };
  await answer.body?.cancel();
  return { status: answer.status, body: { code: 0, message: '' } };
}

function expectRefusal({ status, body }: Refusal, about: string, named: string): void {
  expect({ status, about, body }).toMatchObject({ status: 400, body: { code: expect.any(Number), message: expect.any(String) } });
  expect(Object.keys(body), about).toEqual(['code', 'message']);
  expect(body.message, about).toContain(named);
  expectNothingInside(body, about);
}

/** No place in the code, no statement, no name of a table or library. */
function expectNothingInside(body: unknown, about: string): void {
  expect(JSON.stringify(body), about).not.toMatch(/\.ts\b|node_modules|\bat .+:\d+|select |insert into|violates|Error:|Kysely|pg_/i);
}

const inShort = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 80);

describe.each(withBody)('the body of %s', (name, route) => {
  const schema = asJsonSchema(route.body!);
  const places = bodyFieldsOf(route);

  /** One for all tries of a route, as none of them may change anything. */
  let subject: Subject;
  let before: Record<string, string>;
  beforeAll(async () => {
    subject = await subjectOf(world, name, route);
    before = await everything(world);
  });

  it('is refused for each field of a wrong type, range, length or format, and the error names the field', async () => {
    for (const [index, place] of places.entries()) {
      const broken = brokenRules(place.schema);
      const wrong = Map.groupBy(edgeValues(place.schema), broken);
      wrong.delete('');
      expect([...wrong.values()].flat().length, nameOf(place)).toBeGreaterThan(3);
      for (const values of wrong.values()) {
        // What breaks the same rules is refused by them in the same way: one value of these, another one at each place.
        for (const value of soaking ? values : [values[index % values.length]]) {
          const answer = await send(route, subject, withValue(subject.body, schema, place.path, value));
          expectRefusal(answer, `${nameOf(place)} = ${inShort(value)}`, nameOf(place));
        }
      }
    }
  });

  it('is refused for each field of any other JSON type', async () => {
    const tried = places.map((place) => ({ place, fits: judge(place.schema) }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tried), anyJson, async ({ place, fits }, value) => {
        fc.pre(!fits(value));
        const answer = await send(route, subject, withValue(subject.body, schema, place.path, value));
        expectRefusal(answer, `${nameOf(place)} = ${inShort(value)}`, nameOf(place));
      }),
      { numRuns: runs(whole ? 15 : 5, 200) },
    );
  });

  it('is refused without a required field', async () => {
    for (const place of places.filter(({ required, schema: { default: usual } }) => required && usual === undefined)) {
      const answer = await send(route, subject, without(subject.body, schema, place.path));
      expectRefusal(answer, `no ${nameOf(place)}`, nameOf(place));
      expect(answer.body.message).toMatch(/is missing/);
    }
  });

  it('is refused for an empty or too long name, where names are free text', async () => {
    const maps = [{ path: [], schema, required: true }, ...places].filter((place) => mapValues(place.schema) && !place.schema.properties);
    for (const place of maps) {
      const { maxLength } = place.schema.propertyNames!;
      for (const wrong of ['', 'x'.repeat(maxLength! + 1)]) {
        const value = { [wrong]: exampleOf(mapValues(place.schema)!) };
        const answer = await send(route, subject, withValue(subject.body, schema, place.path, value));
        expectRefusal(answer, `${nameOf(place)} with the name ${inShort(wrong)}`, nameOf(place) || 'The body');
      }
    }
  });

  it.each(Object.entries(unstorable))('is refused for %s in a text, and the error names the field', async (_, text) => {
    for (const place of places.filter(holdsAnyText)) {
      const longEnough = text.padEnd(place.schema.minLength ?? 0, 'x');
      const answer = await send(route, subject, withValue(subject.body, schema, place.path, longEnough));
      if (!batches.has(name)) expectRefusal(answer, nameOf(place), nameOf(place));
      else {
        const { error } = (answer.body as unknown as { files: { error?: { code: number; message: string } }[] }).files[0]!;
        expect({ status: answer.status, error }, nameOf(place)).toMatchObject({ status: 200, error: { message: expect.any(String) } });
        expectNothingInside(error, nameOf(place));
      }
    }
  });

  it('is refused unless it is a JSON object in UTF-8 within the size limit', async () => {
    const raw = (headers: Record<string, string>, body?: Buffer | string) => sendRaw(route, subject, headers, body);
    const json = { 'content-type': 'application/json' };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'multipart/form-data; boundary=x'])
      expect(await raw({ 'content-type': type }, '{}'), type).toMatchObject({ status: 415 });
    for (const body of ['{', '{"a":1,}', "{'a':1}", '{"a":NaN}', '\0', '{"a":"\n"}'])
      expect(await raw(json, body), body).toMatchObject({ status: 400, body: { message: expect.stringContaining('JSON') } });
    for (const body of ['', '[]', 'null', '7', '"{}"']) expect(await raw(json, body), body).toMatchObject({ status: 400 });
    const latin1 = Buffer.from('{"name":"caf\xe9"}', 'latin1');
    expect(await raw(json, latin1)).toMatchObject({ status: 400, body: { message: expect.stringContaining('UTF-8') } });
    const tooLarge = await raw({ ...json, 'content-length': String(limits.bodyBytes + 1) });
    expect(tooLarge).toMatchObject({ status: 413, body: { message: expect.stringContaining(String(limits.bodyBytes)) } });
  });

  // Once for all of these tests: what one of them changed, no other would change back.
  it('changes nothing in the database by all that was refused', async () => {
    expect(await everything(world)).toEqual(before);
  });
});

/** Places whose schema takes any text: no other rule than a length refuses it before. */
const holdsAnyText = ({ schema: { type, enum: values, format, pattern, maxLength = 100 } }: BodyField): boolean =>
  type === 'string' && !values && !format && !pattern && maxLength > 2;

/** After these nobody signs in as before. */
const changesSignIn: ReadonlySet<string> = new Set(['changePassword', ...mfaTakesFromPeople]);

describe.each(withBody)('the body of %s', (name, route) => {
  it('may hold anything that its schema allows: the answer is never 500', async () => {
    const schema = asJsonSchema(route.body!);
    let subject = await subjectOf(world, name, route);
    for (const [index, place] of bodyFieldsOf(route).entries()) {
      const fits = judge(place.schema);
      for (const value of inTurn(edgeValues(place.schema).filter(fits), index)) {
        const { status, body } = await send(route, subject, withValue(subject.body, schema, place.path, value));
        const about = `${nameOf(place)} = ${inShort(value)}`;
        expect({ about, status, body }).toMatchObject({ status: expect.toSatisfy((one: number) => one < 500) });
        if (status >= 400) expectNothingInside(body, about);
        // What the call was about may be gone or done now.
        else subject = await subjectOf(world, name, route);
        if (changesSignIn.has(name)) await world.restore(world.home, world.home.people.owner);
      }
    }
  });
});

describe.each(withQuery)('the query of %s', (name, route) => {
  it('is refused for each invalid parameter, and the error names it', async () => {
    let subject = await subjectOf(world, name, route);
    let before = await everything(world);
    const usual = new URLSearchParams(subject.query ?? '');
    for (const [index, [param, schema]] of Object.entries(asJsonSchema(route.query!).properties ?? {}).entries()) {
      const fits = judge(schema);
      const broken = brokenRules(schema);
      const values = edgeValues(schema).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
      // Of those that break the same rules, or none, one, another at each parameter.
      const rules = Map.groupBy([...values, '99999999999999999999', '0x1', '1 ', 'NaN'], (value) =>
        broken(coerceQuery({ [param]: value }, route.query)[param]),
      );
      for (const value of ['a\0b', ...[...rules.values()].flatMap((same) => inTurn(same, index))]) {
        const query = new URLSearchParams(usual);
        query.set(param, value);
        const storable = !value.includes('\0');
        const fine = storable && fits(coerceQuery({ [param]: value }, route.query)[param]);
        const answer = await send(route, { ...subject, query: query.toString() }, subject.body);
        const about = `${param} = ${inShort(value)}`;
        // A link's secret is its credential: an empty one is none, before the query is looked at.
        if (!fine && (name === 'openLink' || name === 'createLinkCode') && value === '') expect(answer.status).toBe(401);
        else if (!fine) expectRefusal(answer, about, param);
        else {
          expect({ about, ...answer }).toMatchObject({ status: expect.toSatisfy((one: number) => one < 500) });
          if (route.method === 'GET' || answer.status >= 400) continue;
          // It did what it is for.
          subject = await subjectOf(world, name, route);
          before = await everything(world);
        }
      }
    }
    expect(await everything(world)).toEqual(before);
  });
});

async function sendRaw(
  route: Route,
  { headers, path, query }: Subject,
  more: Record<string, string>,
  body?: Buffer | string,
): Promise<Refusal> {
  const address = new URL(query === undefined ? path : `${path}?${query}`, world.at.url);
  return await new Promise((resolve, reject) => {
    const asked = request(address, { method: route.method, headers: { ...headers, ...more } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (data: string) => {
        text += data;
      });
      answer.on('end', () => {
        asked.destroy();
        resolve({ status: answer.statusCode!, body: JSON.parse(text) as Refusal['body'] });
      });
    });
    asked.on('error', reject);
    // A body that is only announced is never sent: the answer does not wait for it.
    if (body === undefined) asked.flushHeaders();
    else asked.end(body);
  });
}
