import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Mount } from '#protocol/agent/mounts.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Two agents in processes of their own: one sends through a Portal, and it lands in a mount of the other, which is killed. */

let service: TestService;
let own: Awaited<ReturnType<typeof tempFolder>>;
const agents: AgentProcess[] = [];
const patiently = { timeout: 90_000, interval: 250 };

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  own = await tempFolder();
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop().catch(() => undefined);
  await own.remove();
});

async function agent(name: string): Promise<AgentProcess> {
  const started = await startAgentProcess({ dataDir: join(own.path, name), serviceUrl: service.url, apiKey: service.apiKey });
  agents.push(started);
  return started;
}

test('a Portal upload lands once in a mount of another agent, which is killed in the middle', async () => {
  const root = join(own.path, 'nas');
  const source = join(own.path, 'day');
  mkdirSync(root);
  writeTree(source, { 'a.txt': 'small', 'large.bin': seededBytes(8 * 1024 * 1024, 9) });
  const far = await agent('far');
  const env = { LONGSHORE_AGENT_URL: far.url };
  const added = await longshoreHere(['mount', 'add', root, '--name', 'NAS', '--json'], { env });
  expect(added).toMatchObject({ code: 0 });
  const mount = JSON.parse(added.stdout) as Mount;
  const checked = await longshoreHere(['mount', 'check', 'NAS'], { env });
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('delete')]);
  expect((await longshoreHere(['mount', 'ls'], { env })).stdout).toContain(root);
  expect((await longshoreHere(['mount', 'rm', 'nothing'], { env })).code).toBe(5);
  const portal = await newPortal(service, {
    configure_cloud_connections: true,
    cloud_connections: [{ id: mount.cloud_connection_id, target_action: 'transfer' }],
  });

  const near = await agent('near');
  const upload = { portal_id: portal.id, sender: 'mia@example.com', paths: [source], package_name: 'Day', package_description: '' };
  const { id } = await near.post('/uploads/portal', upload);
  await near.when(id, ({ state }) => state === 'complete');
  await expect.poll(() => readdirSync(root).length, patiently).toBeGreaterThan(1);
  await far.kill();
  await agent('far');
  const landed = join(root, 'Portal Downloads', portal.name);
  await expect.poll(() => readTree(join(landed, 'Day')), patiently).toMatchObject({ 'day/a.txt': expect.anything() });
  await expect.poll(() => readTree(join(landed, 'Day', 'day')), patiently).toEqual(readTree(source));
  expect(readdirSync(landed)).toEqual(['Day']);
});
