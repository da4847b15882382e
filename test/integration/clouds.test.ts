import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProvider } from '#providers/all.ts';
import { pageBlocks } from '#test/support/docs/page-blocks.ts';
import { type CommandRun, nodeScript, npmStart } from '#test/support/engine/command-line.ts';
import { hasRgw } from '#test/support/storage/rgw.ts';
import { hasSwift } from '#test/support/storage/swift.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** "Try it on this machine" of docs/connections.md, with `npm start` and `npm run clouds` as a reader runs them. */

const program = fileURLToPath(new URL('../clouds.ts', import.meta.url));
const never = new AbortController().signal;

const textOf = (page: 'api.md' | 'connections.md', mark: string): string =>
  pageBlocks(page)
    .filter((block) => block.language === 'bash' && block.mark === mark)
    .map(({ text }) => text)
    .join('\n');
/** The functions of docs/api.md, as its section on Portals wants them in the shell. */
const functionsOf = (text: string): string =>
  [...text.matchAll(/^(?:json|send_blueprint|upload_chunk)\(\) \{(?:.*\}\n|[\s\S]*?^\}\n)/gm)].join('\n');

describe.skipIf(!hasSwift() || !hasRgw() || !hasPrograms('curl', 'jq'))('npm run clouds', { timeout: 600_000 }, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let clouds: CommandRun;
  let start: CommandRun;
  const at = (name: string): string => join(folder.path, name);
  beforeAll(async () => {
    folder = await tempFolder();
    writeTree(at('source'), { 'a.txt': 'a' });
    mkdirSync(at('temporary'));
    clouds = nodeScript(program, [], { env: { TMPDIR: at('temporary') } });
    start = npmStart([at('source'), '--allow-private-connections', '--data-dir', at('data')]);
  });
  afterAll(async () => {
    for (const run of [clouds, start]) run?.process.kill('SIGTERM');
    await Promise.all([clouds?.ended, start?.ended]);
    await folder?.remove();
  });

  async function bash(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const shell = `set -euo pipefail\nshopt -s inherit_errexit\n${script}`;
    return (await promisify(execFile)('bash', ['-c', shell], { cwd: folder.path, env: { ...process.env, ...env } })).stdout;
  }

  it('starts three clouds in which a Portal upload lands by the lines of docs/connections.md', async () => {
    const files = { 'A001.mov': randomBytes(14 * 1024 * 1024 + 5) };
    for (const [name, bytes] of Object.entries(files)) writeFileSync(at(name), bytes);
    await Promise.all([clouds.line(/^# Press Ctrl-C to stop\.$/), start.line(/^Press Ctrl-C to stop\.$/)]);
    const [, service] = await start.line(/^Service API +(\S+)\/docs$/);
    const [, email, password] = await start.line(/^Sign in +(\S+), password (\S+)$/);
    const known = { LONGSHORE: service!, EMAIL: email!, PASSWORD: password! };
    const said = await bash(
      [
        clouds.stdout(),
        textOf('connections.md', 'try'),
        functionsOf(textOf('api.md', '')),
        textOf('api.md', 'portal'),
        `declare -p owner portal_id | sed 's/^declare/declare -g/' > shell`,
      ].join('\n'),
      { ...known, PORTAL: 'dailies', SENDER: 'leo@example.com', ACCESS_CODE: 'any', FILE: 'A001.mov' },
    );
    expect(said.match(/^works: true$/gm)).toHaveLength(3);
    expect(said).not.toMatch(/\tfalse\t/);

    const functions = functionsOf(textOf('connections.md', 'try'));
    const transfers = async (): Promise<string> =>
      await bash(`source shell\n${functions}\n${textOf('connections.md', 'transfers')}`, known);
    await eventually('all is delivered', async () => {
      const text = await transfers();
      expect(text).not.toContain('\terror\t');
      return text.match(/\tcomplete\t/g)?.length === 3;
    });
    expect(
      (await transfers())
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual(['generic_s3\tcomplete\t2 of 2 files', 'generic_s3\tcomplete\t2 of 2 files', 'azure\tcomplete\t1 of 1 files']);

    const commands = [...clouds.stdout().matchAll(/^# {3}(curl .*)\n^export \w+='(.*)'$/gm)];
    expect(commands).toHaveLength(3);
    for (const [, command, body] of commands) {
      const { provider: kind, authorization, name } = JSON.parse(body!) as { provider: 'azure'; authorization: object; name: string };
      const provider = openProvider(kind, authorization as Record<string, string>, { mayConnect: () => true, now: () => new Date() });
      const listed = (await bash(command!))
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^<\w+>/, ''));
      const landed = listed.map((line) => line.replace(/[\da-f]{8}-[\da-f-]{27}/, 'id'));
      const where = 'Portal Downloads/Dailies/Day 12';
      const all = [`${where}/A001.mov`, `${where}/longshore-manifest-id.json`, `${where}/metadata.json`];
      expect(landed, name).toEqual(kind === 'azure' ? all.slice(0, 1) : all);
      const read = async (id: string) => await buffer(await provider.openRange({ id }, never));
      expect((await read(listed[0]!)).equals(files['A001.mov']), name).toBe(true);
      if (kind !== 'azure') {
        expect(JSON.parse((await read(listed[2]!)).toString())).toMatchObject({ camera: { value: 'none' } });
        const manifest = JSON.parse((await read(listed[1]!)).toString()) as { portal_name: string; files: { path: string }[] };
        expect([manifest.portal_name, manifest.files.map(({ path }) => path)]).toEqual(['Dailies', ['A001.mov', 'metadata.json']]);
      }
      await provider.close();
    }
  });

  it('ends all of them by Ctrl-C, and npm start when it is told to, and leaves nothing behind', async () => {
    const endpoints = [...clouds.stdout().matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([url]) => url);
    expect(new Set(endpoints).size).toBe(3);
    clouds.process.kill('SIGINT');
    expect([await clouds.ended, clouds.stderr()]).toEqual([0, '']);
    expect(readdirSync(at('temporary'))).toEqual([]);
    expect(await processesWith(at('temporary'))).toEqual([]);
    for (const url of endpoints) await expect(fetch(url)).rejects.toThrow();
    start.process.kill('SIGTERM');
    expect(await start.ended).toBe(0);
    expect(await processesWith(at('data'))).toEqual([]);
  });
});
