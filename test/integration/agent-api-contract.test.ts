import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { exampleOf } from '#protocol/example.ts';
import { asJsonSchema } from '#protocol/json-schema.ts';
import type { Route } from '#protocol/route.ts';
import { errorsOf } from '#protocol/route-errors.ts';
import { putTransfers } from '../support/engine/stored-transfers.ts';
import { schemaCompiler } from '../support/service/schema-validator.ts';
import { tempFolder } from '../support/system/temp-folder.ts';

/**
 * Every endpoint of a real agent, as its table says: with what it needs, with what is not there, and with nonsense.
 * Nobody is signed in and no service answers, so that what needs those says so by an error that the table names.
 */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let agent: RunningAgent;
const compile = schemaCompiler();

beforeAll(async () => {
  folder = await tempFolder();
  vi.stubEnv('LONGSHORE_VAULT_KEY', 'a key for tests alone');
  const phase = () => ({ state: 'paused', since: 0, until: null }) as const;
  await putTransfers(folder.path, { count: 40, vaultKey: 'a key for tests alone', phase });
  agent = await startAgent({
    dataDir: folder.path,
    serviceUrl: 'http://127.0.0.1:9',
    listen: { host: '127.0.0.1', port: 0 },
    guiDir: null,
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await agent?.close();
  await folder?.remove();
});

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function ask(method: string, path: string, body?: string, type = 'application/json'): Promise<Answer> {
  const reply = await fetch(agent.url + path, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': type } }),
    signal: AbortSignal.timeout(30_000),
  });
  const { status } = reply;
  const kind = reply.headers.get('content-type') ?? '';
  // A stream of events goes on for ever: that it has begun is enough.
  if (kind.startsWith('text/event-stream')) await reply.body!.cancel();
  return { status, type: kind, text: kind.startsWith('text/event-stream') ? '' : await reply.text() };
}

/** What is wrong with an answer; empty where the route's table allows it. */
function faults(route: Route, { status, type, text }: Answer): string[] {
  if (status === route.reply.status) {
    if ('stream' in route.reply) return type.startsWith(route.reply.stream.split(';')[0]!) ? [] : [`the type ${type}`];
    if (!('body' in route.reply)) return text === '' ? [] : ['a body'];
    const validate = compile(route.reply.body);
    validate(JSON.parse(text));
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  }
  const { code, message } = JSON.parse(text) as { code: number; message: string };
  const allowed = errorsOf(route);
  const error = allowed.find((one) => errorCatalogue[one].code === code && errorCatalogue[one].status === status);
  if (!error) return [`${status} ${code} ${message}, which its table does not name`];
  if (type !== 'application/json') return [`the type ${type}`];
  return error === 'internal' ? [`${status} ${message}`] : [];
}

const routes = Object.entries<Route>(agentRoutes);
const bodyOf = (route: Route): string | undefined =>
  route.body ? JSON.stringify(route.example ?? exampleOf(asJsonSchema(route.body))) : undefined;

describe('every endpoint of a running agent', () => {
  it.each([
    ['what is there', (index: number) => `many-00000${String(index % 40).padStart(2, '0')}`],
    ['what is not there', () => 'nobody'],
  ] as const)('answers as its table says, asked for %s', async (_, id) => {
    const wrong: string[] = [];
    for (const [index, [name, route]] of routes.entries()) {
      const path = route.path.replaceAll(/\{\w+\}/g, id(index));
      const found = faults(route, await ask(route.method, path, bodyOf(route)));
      if (found.length > 0) wrong.push(`${name}: ${found.join('; ')}`);
    }
    expect(wrong).toEqual([]);
  });

  it('takes no body but JSON, and none that its schema does not', async () => {
    const wrong: string[] = [];
    for (const [name, route] of routes) {
      if (!route.body) continue;
      const path = route.path.replaceAll(/\{\w+\}/g, 'nobody');
      const statuses = [
        (await ask(route.method, path, bodyOf(route), 'text/plain')).status,
        (await ask(route.method, path, '{', 'application/json')).status,
        (await ask(route.method, path, '[]', 'application/json')).status,
        (await ask(route.method, path, '7', 'application/json')).status,
      ];
      // Sign-in is bounded by the minute, and says so before it looks at a body.
      if (statuses.join() !== '415,400,400,400' && !statuses.includes(429)) wrong.push(`${name}: ${statuses.join()}`);
    }
    expect(wrong).toEqual([]);
  });

  it('takes no query that its schema does not', async () => {
    const wrong: string[] = [];
    for (const [name, route] of routes) {
      if (!route.query) continue;
      for (const [field, schema] of Object.entries(asJsonSchema(route.query).properties ?? {})) {
        if (schema.type === 'string' && schema.enum === undefined) continue;
        const path = route.path.replaceAll(/\{\w+\}/g, 'many-0000000');
        const { status } = await ask(route.method, `${path}?${field}=nonsense`);
        if (status !== 400) wrong.push(`${name} with ${field}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has no other methods', async () => {
    for (const [method, path] of [
      ['PATCH', '/api/v1/status'],
      ['DELETE', '/api/v1/settings'],
      ['PUT', '/healthz'],
      ['OPTIONS', '/api/v1/uploads'],
      ['GET', '/api/v2/status'],
    ] as const)
      expect([path, (await ask(method, path)).status]).toEqual([path, 404]);
  });
});
