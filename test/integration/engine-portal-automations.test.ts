import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { AutomationQuestion } from '#protocol/agent/automations/history.ts';
import type { FormField } from '#protocol/hosted/forms.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { automationWhen, sentBy } from '#test/support/engine/automation-when.ts';
import { askForm, formField, newPortal } from '#test/support/service/portals.ts';
import { packagesNamed } from '#test/support/service/sent-packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Watched folders that send through a Portal with a form, from the agent's calls to what the service was told. */

let service: TestService;
let own: Awaited<ReturnType<typeof tempFolder>>;
let agent: RunningAgent;

beforeAll(async () => {
  vi.stubEnv('LONGSHORE_VAULT_KEY', 'a key for tests alone');
  own = await tempFolder();
  service = await startTestService({ processes: 1 });
  agent = await startAgent({
    dataDir: join(own.path, 'agent'),
    serviceUrl: service.url,
    listen: { host: '127.0.0.1', port: 0 },
    guiDir: null,
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await agent?.close();
  await service?.close();
  await own?.remove();
});

async function call<T = null>(method: string, path: string, body?: object): Promise<T> {
  const reply = await fetch(`${agent.url}/api/v1/automations${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  const answer = (reply.status === 204 ? null : await reply.json()) as T;
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${JSON.stringify(answer)}`);
  return answer;
}

const required = (name: string, more: Partial<FormField> = {}): FormField => formField(name, { visibility: 'required', ...more });

/** A Portal with these fields in its form, an automation that sends through it, and its folder. */
async function watched(name: string, fields: readonly FormField[], more: object = {}) {
  const portal = await newPortal(service, { name });
  if (fields.length > 0) expect(await askForm(service, portal.id, { fields })).toMatchObject({ status: 201 });
  const hot = join(own.path, name, 'hot');
  mkdirSync(hot, { recursive: true });
  const { id } = await call<Automation>('POST', '/portal_upload', {
    name,
    active: true,
    folder: hot,
    subdomain: portal.subdomain,
    sender: 'mia@example.com',
    settle_seconds: 1,
    existing: true,
    package_name: `${name}: {name}`,
    ...more,
  });
  return { id, hot, portal };
}

/** The answers that came with each package of a Portal, by the package's name. */
async function answersAt(portal: Portal): Promise<Record<string, unknown>> {
  const { db } = service.service.services;
  const rows = await db
    .selectFrom('packages')
    .leftJoin('form_responses', 'form_responses.id', 'packages.form_response_id')
    .select(['packages.name', 'form_responses.answers'])
    .where('packages.portal_id', '=', portal.id)
    .where('packages.state', '=', 'finalized')
    .execute();
  return Object.fromEntries(rows.map(({ name, answers }) => [name, answers]));
}

it('answers a form from fixed values, names, sidecars of each kind and folders', async () => {
  const sidecar = (file: string, key: string) => ({ source: 'sidecar', file, key });
  const { id, hot, portal } = await watched(
    'Filled',
    ['production', 'camera', 'scene', 'slate', 'lens', 'day'].map((name, position) => required(name, { position })),
    {
      form: { production: { value: 'Northern Light' } },
      form_from: {
        camera: { source: 'name', pattern: '^(?P<value>[A-Z])\\d' },
        scene: sidecar('*.json', 'scene.number'),
        slate: sidecar('*.csv', 'slate'),
        lens: sidecar('*.xml', 'clip.lens'),
        day: { source: 'folder' },
      },
    },
  );
  writeTree(hot, {
    'A001/clip.mov': 'one',
    'A001/report.json': JSON.stringify({ scene: { number: 12 } }),
    'A001/slate.csv': 'name,slate\nA000,7\nA001,42\n',
    'A001/lens.xml': '<clip><lens>35 mm</lens></clip>',
  });
  await sentBy(agent.engine, id, 4);
  const values = { production: 'Northern Light', camera: 'A', scene: '12', slate: '42', lens: '35 mm', day: 'hot' };
  expect(await answersAt(portal)).toMatchObject({
    'Filled: A001': Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
  });
});

it('asks what it cannot fill, sends the others, and sends that entry once it is answered', async () => {
  const { id, hot, portal } = await watched('Asked', [required('camera', { options: ['A', 'B'], type: 'dropdown' })], {
    form_from: { camera: { source: 'name', pattern: '^(?P<value>[A-Z])\\d' } },
  });
  writeTree(hot, { 'A001.mov': 'one', 'C002.mov': 'two', 'unnamed.mov': 'three' });
  await automationWhen(agent.engine, id, ({ state, counts }) => state === 'needs_you' && counts.sent === 1 && counts.questions === 2);
  const questions = await call<AutomationQuestion[]>('GET', `/${id}/questions`);
  expect(questions.map(({ entry, fields }) => [entry, fields.map(({ name }) => name)]).toSorted()).toEqual([
    ['C002.mov', ['camera']],
    ['unnamed.mov', ['camera']],
  ]);
  const idOf = (entry: string): string => questions.find((question) => question.entry === entry)!.id;
  await expect(call('POST', `/${id}/questions/${idOf('unnamed.mov')}/answer`, { form: { camera: { value: 'C' } } })).rejects.toThrow(
    'camera',
  );
  await call('POST', `/${id}/questions/${idOf('unnamed.mov')}/answer`, { form: { camera: { value: 'B' } } });
  await sentBy(agent.engine, id, 2);
  expect((await call<AutomationQuestion[]>('GET', `/${id}/questions`)).map(({ entry }) => entry)).toEqual(['C002.mov']);
  expect(await answersAt(portal)).toMatchObject({
    'Asked: A001.mov': { camera: { value: 'A' } },
    'Asked: unnamed.mov': { camera: { value: 'B' } },
  });
  await call('POST', `/${id}/questions/${idOf('C002.mov')}/answer`, { form: { camera: { value: 'A' } } });
  const over = await automationWhen(agent.engine, id, ({ counts }) => counts.sent === 3);
  expect(over.counts).toMatchObject({ questions: 0, failed: 0 });
});

it('sends a folder once its marker is there, with the marker, and what is added later', async () => {
  const { id, hot } = await watched('Marked', [], { package_per: 'marker', marker: '*.mhl' });
  writeTree(hot, { 'card/1.mov': 'one', 'card/a/2.mov': 'two', 'loose.mov': 'three' });
  await automationWhen(agent.engine, id, ({ waiting_for }) => waiting_for.endsWith('Its marker is not there (*.mhl).'));
  writeTree(hot, { 'card/card.mhl': 'list' });
  await sentBy(agent.engine, id, 3);
  writeTree(hot, { 'card/3.mov': 'four' });
  await sentBy(agent.engine, id, 4);
  const { names, files, states } = await packagesNamed(service, 'Marked: ');
  expect([names, states]).toEqual([['Marked: card', 'Marked: card'], ['finalized']]);
  expect(files.map(({ path }) => path).toSorted()).toEqual(['card/1.mov', 'card/3.mov', 'card/a/2.mov', 'card/card.mhl']);
});

it('knows what it sent by its content, where that is asked for', async () => {
  const { id, hot } = await watched('Content', [], { by_content: true, package_per: 'batch' });
  writeTree(hot, { 'a.mov': 'one' });
  await sentBy(agent.engine, id, 1);
  // A copy, a newer time alone, and something else.
  writeTree(hot, { 'copy of a.mov': 'one', 'a.mov': 'one', 'b.mov': 'two' });
  await expect
    .poll(async () => (await packagesNamed(service, 'Content: ')).files.map(({ path }) => path), { timeout: 60_000 })
    .toEqual(['a.mov', 'b.mov']);
  expect(agent.engine.automations.ledger(id, { limit: 10 }).records.map(({ blake3 }) => blake3)).toEqual([
    expect.stringMatching(/^blake3:[0-9a-f]{64}$/),
    expect.stringMatching(/^blake3:[0-9a-f]{64}$/),
  ]);
});

it('says that its Portal is closed, or has another code, and goes on once it is as before', async () => {
  const { id, hot, portal } = await watched('Closed', []);
  const change = (fields: object) =>
    service.call('PUT', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': service.apiKey }, body: fields });
  expect((await change({ active: false })).status).toBe(200);
  writeTree(hot, { 'a.mov': 'one' });
  const closed = await automationWhen(agent.engine, id, ({ message }) => message !== '');
  expect(['error', 'needs_you']).toContain(closed.state);
  expect((await change({ active: true })).status).toBe(200);
  await call('POST', `/${id}/run`);
  expect(await sentBy(agent.engine, id, 1)).toMatchObject({ counts: { sent: 1, failed: 0 } });
});
