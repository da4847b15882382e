import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#main/start/ports.ts';
import type { CreatedWebhook } from '#protocol/hosted/webhooks.ts';
import { buildSdk } from '#sdk/build.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { type CommandRun, nodeScript } from '#test/support/engine/command-line.ts';
import { inAll } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The package as others install it: built, packed, installed without a network, its examples run against the real thing. */

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: TestService;
let agent: AgentProcess;
const running: CommandRun[] = [];
const at = (...names: string[]): string => join(folder.path, ...names);

function example(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): CommandRun {
  const script = nodeScript(at('app', `${name}.ts`), args, { cwd: at('app'), env: { LONGSHORE_AGENT_URL: agent?.url ?? '', ...env } });
  running.push(script);
  return script;
}

async function ended(script: CommandRun): Promise<string> {
  expect(await script.ended, script.stderr()).toBe(0);
  return script.stdout().trim();
}

beforeAll(async () => {
  folder = await tempFolder();
  await buildSdk();
  const { stdout } = await run('npm', ['pack', join(project, 'sdk'), '--json', '--ignore-scripts', '--pack-destination', folder.path]);
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  // What it depends on is there already, so nothing is fetched.
  await cp(join(project, 'node_modules/typebox'), at('app/node_modules/typebox'), { recursive: true });
  await writeFile(at('app/package.json'), '{ "name": "app", "private": true, "type": "module", "dependencies": { "typebox": "*" } }');
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', at(packed!.filename)], { cwd: at('app') });
  await cp(at('app/node_modules/@longshore/sdk/examples'), at('app'), { recursive: true });
  service = await startTestService({ allowPrivateWebhooks: true });
  agent = await startAgentProcess({ dataDir: at('agent'), serviceUrl: service.url, apiKey: service.apiKey });
  writeTree(at('dailies'), { 'A001.mov': seededBytes(3_000_000, 1), 'sound/one.wav': seededBytes(40_000, 2) });
  // A build, npm, a service and an agent: minutes on a crowded machine.
}, 600_000);
afterEach(() => {
  for (const script of running.splice(0)) script.process.kill();
});
afterAll(async () => {
  await agent?.stop();
  await service?.close();
  await folder?.remove();
});

describe('the packed SDK', () => {
  it('holds what was built, and nothing of the sources', async () => {
    const files = Object.keys(readTree(at('app/node_modules/@longshore/sdk'))).filter((path) => !path.startsWith('dist/types/'));
    expect(files.toSorted()).toEqual([
      'README.md',
      'dist/index.js',
      'examples/receive-link.ts',
      'examples/send-folder.ts',
      'examples/watch.ts',
      'examples/webhook-receiver.ts',
      'package.json',
    ]);
    const typebox = JSON.parse(await readFile(at('app/node_modules/typebox/package.json'), 'utf8')) as { version: string };
    const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
    const own = JSON.parse(await readFile(join(project, 'sdk/package.json'), 'utf8')) as typeof typebox & { dependencies: object };
    // One version of typebox: the sources are checked with it, and the types of the package are made of its own.
    expect(own.dependencies).toEqual({ typebox: dependencies['typebox'] });
    expect(typebox.version).toBe(dependencies['typebox']);
  });

  it('has types that a program is checked by', inAll('its examples, which use them'), async () => {
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024', 'esnext'],
      module: 'nodenext',
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(project, 'node_modules/@types')],
    };
    await writeFile(at('app/tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    await writeFile(
      at('app/wrong.ts'),
      `import { agentAt } from '@longshore/sdk';
const agent = agentAt('http://127.0.0.1:8090');
agent.call('getTransfer', {});
agent.call('noSuchCall', {});
const { name } = await agent.call('getTransfer', { params: { id: 'x' } });
name.toFixed();
`,
    );
    const { stdout } = await run(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: at('app') }).catch(
      (error: { stdout: string }) => error,
    );
    // The examples have no error, and each wrong line has one.
    const found = [...stdout.matchAll(/^(\S+\.ts)\((\d+),/gm)].map(([, file, line]) => `${file}:${line}`);
    expect(found).toEqual(['wrong.ts:3', 'wrong.ts:4', 'wrong.ts:6']);
  });
});

describe('its examples', () => {
  it('send a folder, hear of it by a webhook and by the events, and receive it by its link', async () => {
    const port = await freePort(0);
    const made = await service.call<CreatedWebhook>('POST', `/v1/teams/${service.teamId}/custom_webhooks`, {
      headers: { 'x-api-key': service.apiKey },
      body: { active: true, events: ['package.finalized'], method: 'POST', url: `http://127.0.0.1:${port}/`, scope: 'team' },
    });
    const receiver = example('webhook-receiver', [], { WEBHOOK_SECRET: made.body.secret, PORT: String(port) });
    await receiver.line(/^Listening/);
    const watch = example('watch', [process.execPath, '-e', 'console.log("ended:", ...process.argv.slice(1))', '--']);
    await watch.line(/^Watching/);

    const link = await ended(example('send-folder', [at('dailies')]));
    expect(link).toContain(`${service.url}/d/`);
    expect(await ended(example('receive-link', [link, at('received')]))).toBe(`2 files in ${at('received')}`);
    expect(readTree(at('received/dailies'))).toEqual(readTree(at('dailies')));

    await receiver.line(/^package\.finalized: dailies, 2 files$/);
    await watch.line(/^ended: complete upload \S+$/);
    await watch.line(/^ended: complete download \S+$/);

    const forged = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'webhook-id': 'e', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)), 'webhook-signature': 'v1,AAAA' },
      body: '{"event_id":"e","event_type":"package.finalized","object":{"name":"forged","total_files":1}}',
    });
    expect(forged.status).toBe(401);
    expect(receiver.stdout()).not.toContain('forged');
  });

  it('say why a link cannot be received', async () => {
    const script = example('receive-link', ['https://files.example.com/nothing', at('received')]);
    expect(await script.ended).toBe(1);
    expect(script.stderr()).toContain('/d/');
  });
});
