import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Log } from '#engine/ports.ts';
import { openVault } from '#engine/secrets/vault.ts';
import { startAgent } from '#main/headless.ts';
import { ApiError } from '#protocol/errors.ts';
import { startHttpServer } from '#test/support/system/http-server.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** What an agent says in its log when it starts: all that its status warns of. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  // Others in this process may have given one.
  vi.stubEnv('LONGSHORE_VAULT_KEY', '');
  folder = await tempFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await folder.remove();
});

type StartedAgent = Awaited<ReturnType<typeof startAgent>>;

/** Starts an agent twice in one folder; what each start has logged, and what its status warned of. */
async function started(vaultKey?: string, use: (agent: StartedAgent, run: number) => Promise<void> = async () => undefined) {
  const runs: { readonly logged: string[]; readonly warnings: readonly string[] }[] = [];
  for (let run = 0; run < 2; run++) {
    const lines: { readonly level: string; readonly facts: object; readonly message: string }[] = [];
    const note =
      (level: string) =>
      (facts: object, message: string): void =>
        void lines.push({ level, facts, message });
    const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    const agent = await startAgent({
      dataDir: folder.path,
      serviceUrl: 'http://127.0.0.1:1',
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: null,
      log,
      secrets: 'vault',
      vaultKey,
    });
    const { warnings } = agent.engine.status();
    await use(agent, run);
    await agent.close();
    runs.push({ logged: lines.map((line) => JSON.stringify(line)), warnings });
  }
  return runs;
}

test.each([
  ['whose key stands beside it', undefined],
  ['that is opened by a key from elsewhere', `key-${randomUUID()}`],
])('secrets in a file %s: said once a start, with none of them', async (_, vaultKey) => {
  for (const { logged, warnings } of await started(vaultKey)) {
    expect(warnings).toEqual([expect.stringContaining('No keychain of the operating system is used.')]);
    expect(logged.filter((line) => line.includes('keychain'))).toEqual([
      JSON.stringify({ level: 'warn', facts: {}, message: warnings[0] }),
    ]);
    const secret = await openVault(folder.path, vaultKey).get('state-key');
    expect(secret).toMatch(/.{40}/);
    for (const line of logged) for (const one of [secret!, vaultKey ?? secret!]) expect(line).not.toContain(one);
  }
});

test('one that was put away stays so at the next start, and one that is over is forgotten', async () => {
  const kept: (readonly string[])[] = [];
  const runs = await started(undefined, async ({ engine }, run) => {
    const { warnings } = engine.status();
    if (run === 0) await engine.settings.update({ dismissed_warnings: [...warnings, 'The state was damaged.'] });
    else await expect.poll(() => engine.settings.current().dismissed_warnings).toEqual(warnings);
    kept.push(engine.settings.current().dismissed_warnings);
  });
  expect(kept).toEqual([[...runs[0]!.warnings, 'The state was damaged.'], runs[1]!.warnings]);
});

test('one that is found out only after the start stays put away meanwhile, and is news once it was over', async () => {
  const refusal = new ApiError('credential_invalid', { header: 'X-API-KEY' });
  let refuses = true;
  const service = await startHttpServer((_, response) => {
    response.writeHead(refuses ? 401 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(refuses ? refusal.body : { user: { email: 'mia@example.com', id: 'u', name: 'Mia' }, teams: [] }));
  });
  const kept: (readonly string[])[] = [];
  try {
    for (let run = 0; run < 3; run++) {
      refuses = run < 2;
      const agent = await startAgent({
        ...{ dataDir: folder.path, serviceUrl: service.url, apiKey: 'a key', guiDir: null, secrets: 'vault' },
        listen: { host: '127.0.0.1', port: 0 },
      });
      const { settings, session, status } = agent.engine;
      await session.current().catch(() => undefined);
      const found = () => status().warnings.filter((warning) => warning.includes('does not accept the API key'));
      expect(found()).toHaveLength(refuses ? 1 : 0);
      if (run === 0) await settings.update({ dismissed_warnings: found() });
      if (run === 2) await expect.poll(() => settings.current().dismissed_warnings).toEqual([]);
      kept.push(settings.current().dismissed_warnings);
      await agent.close();
    }
  } finally {
    await service.close();
  }
  expect(kept).toEqual([kept[0], kept[0], []]);
  expect(kept[0]).toHaveLength(1);
});
