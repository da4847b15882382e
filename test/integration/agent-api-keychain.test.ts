import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inAll } from '#test/support/level.ts';
import { findKeytar, insideKeychainSession, whyNoKeychain } from '../support/engine/keychain.ts';
import { filesBelow, secretsIn } from '../support/engine/secret-scan.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '../support/service/start-service.ts';
import { processesWith } from '../support/system/processes.ts';
import { tempFolder } from '../support/system/temp-folder.ts';

/** A real agent with a real gnome-keyring: its secrets are there, and nowhere else. */

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const why = whyNoKeychain();

describe.skipIf(why !== null)(why ?? 'an agent with the keychain of the system', () => {
  let service: TestService;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  const running: ChildProcess[] = [];
  const at = (...names: string[]): string => join(folder.path, ...names);

  beforeAll(async () => {
    folder = await tempFolder();
    mkdirSync(at('home'));
    service = await startTestService();
  });
  afterAll(async () => {
    for (const child of running) if (child.exitCode === null) child.kill('SIGKILL');
    await service?.close();
    await folder?.remove();
  });

  const environment = () => {
    const { LONGSHORE_VAULT_KEY: _, DBUS_SESSION_BUS_ADDRESS: __, DISPLAY: ___, ...rest } = process.env;
    return { ...rest, HOME: at('home'), XDG_DATA_HOME: at('home', 'data'), LONGSHORE_TEST_KEYTAR: findKeytar() ?? '' };
  };
  const agentCommand = () => [
    process.execPath,
    '--import',
    path('../support/engine/keytar-preload.ts'),
    path('../../main/cli/longshore.js'),
    ...['agent', '--listen', '127.0.0.1:0', '--data-dir', at('data'), '--service-url', service.url],
  ];

  /** Runs an agent until `work` is done, and gives what it said. */
  async function withAgent(
    command: readonly string[],
    work: (url: string) => Promise<void>,
  ): Promise<{ code: number | null; said: string }> {
    const [program, ...args] = command as [string, ...string[]];
    const child = spawn(program, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let said = '';
    const url = Promise.withResolvers<string | null>();
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (bytes: Buffer) => {
        said += bytes.toString();
        const found = /ready at (http:\/\/\S+)/.exec(said)?.[1];
        if (found) url.resolve(found);
      });
    void ended.then(() => url.resolve(null));
    const found = await url.promise;
    if (found !== null) {
      await work(found);
      // The agent itself, below the session and its shell.
      const own = (await processesWith(at('data'))).find((one) => one.command.startsWith(process.execPath));
      process.kill(own!.pid, 'SIGTERM');
    }
    return { code: await ended, said };
  }

  const login = async (url: string) => (await fetch(`${url}/api/v1/login`)).status;

  it('keeps its secrets there and not in its folder, and finds them again', async () => {
    const first = await withAgent(insideKeychainSession(agentCommand()), async (url) => {
      const { warnings } = (await (await fetch(`${url}/api/v1/status`)).json()) as { warnings: string[] };
      expect(warnings).toEqual([]);
      const body = JSON.stringify({ email: ownerEmail, password: ownerPassword });
      const reply = await fetch(`${url}/api/v1/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(reply.status).toBe(200);
    });
    expect(first).toMatchObject({ code: 0 });
    expect(existsSync(at('data', 'agent', 'vault.json'))).toBe(false);
    expect(readFileSync(at('data', 'agent', 'secrets-in-keychain'), 'utf8')).toContain('keychain');

    const listed = spawnSync(...split(insideKeychainSession(['secret-tool', 'search', '--all', 'service', 'Longshore'])), {
      encoding: 'utf8',
      env: environment(),
    });
    const secrets = Object.fromEntries([...listed.stdout.matchAll(/^secret = (.+)$/gm)].map(([, secret], index) => [`${index}`, secret!]));
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(2);
    for (const { path: file, bytes } of await filesBelow(at('data'))) expect([file, secretsIn(bytes, secrets)]).toEqual([file, []]);

    const second = await withAgent(insideKeychainSession(agentCommand()), async (url) => expect(await login(url)).toBe(200));
    expect(second.code).toBe(0);
  });

  it('says what is missing when it is started without it, changes nothing, and goes on with it', inAll('unit/engine/secrets'), async () => {
    const { code, said } = await withAgent(['dbus-run-session', '--', ...agentCommand()], async () => undefined);
    expect([code, said]).toEqual([3, expect.stringMatching(/keychain of the operating system, which cannot be used now/)]);
    expect(existsSync(at('data', 'agent', 'vault.json'))).toBe(false);
    const again = await withAgent(insideKeychainSession(agentCommand()), async (url) => expect(await login(url)).toBe(200));
    expect(again.code).toBe(0);
  });
});

function split([program, ...args]: readonly [string, ...string[]]): [string, string[]] {
  return [program, args];
}
