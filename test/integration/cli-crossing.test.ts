import { statSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handoverAddress } from '#protocol/deep-link.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { type CommandRun, longshore, longshoreHere } from '#test/support/engine/command-line.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { ownerEmail, ownerPassword } from '#test/support/service/start-service.ts';
import { copyStartedFolder } from '#test/support/service/started-folder.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { processesWith } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A folder from one person to another by commands alone: `service`, `agent`, `send`, `ls`, `get`. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: CommandRun;
let serviceUrl: string;
let apiKey: string;
let link: string;

const at = (name: string) => join(folder.path, name);
const quiet = ['--log-level', 'error'];

async function call(path: string, headers: Record<string, string>, body: unknown) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  return (await fetch(serviceUrl + path, init)).json();
}

beforeAll(async () => {
  folder = await tempFolder();
  writeTree(at('dailies'), {
    'A001.mov': seededBytes(7_000_000, 1),
    'sound/Größe – 音.wav': seededBytes(40_000, 2),
    'sound/nothing': '',
    'later/empty': null,
  });
  await writeFile(at('password'), 'correct horse battery staple\n');
  const owner = ['--owner-email', 'mia@example.com', '--owner-password-file', at('password'), '--team', 'Harbour Films'];
  const options = ['--listen', '127.0.0.1:0', '--data-dir', at('data'), '--team-storage', '500GB', ...owner, ...quiet];
  service = longshore(['service', ...options], { env: { LONGSHORE_TEAM_TRAFFIC: '2TiB' } });
  [, serviceUrl = ''] = await service.line(/^Longshore service is ready at (\S+)$/);
  const auth = await call('/v1/auth', {}, { email: 'mia@example.com', password: 'correct horse battery staple' });
  const key = await call(`/v1/teams/${auth.teams[0].id}/api_keys`, { 'x-user-token': auth.token }, { name: 'Test', state: 'active' });
  apiKey = key.key;
  await writeFile(at('key'), apiKey);
});

afterAll(async () => {
  service.process.kill('SIGTERM');
  await service.ended;
  await folder.remove();
});

describe('a folder', () => {
  it('is sent by a command of its own, which prints nothing but the link', async () => {
    const run = longshore([
      ...['send', at('dailies'), '--name', 'Day 12', '--no-agent', '--service-url', serviceUrl],
      ...['--api-key-file', at('key'), '--data-dir', at('sender'), ...quiet],
    ]);
    expect([await run.ended, run.stderr().split('\n').at(-2)]).toEqual([0, expect.stringMatching(/^Sent \d+ files, 7\.04 MB$/)]);
    expect(run.stdout()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/d\/[\w-]+\?secret=\S+\n$/);
    link = run.stdout().trim();
  });

  it('is listed by its link', async () => {
    const run = longshore(['ls', '-'], { input: link });
    expect(await run.ended).toBe(0);
    expect(run.stderr()).toMatch(/^Day 12, /);
    expect(run.stdout()).toContain(' 7.00 MB  dailies/A001.mov\n');
    expect(run.stdout()).toContain('dailies/sound/Größe – 音.wav\n');
    expect(run.stdout()).not.toContain('zip');
    const json = await longshoreHere(['ls', link, '--json']);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout).map((one: { name: string }) => one.name)).toContain('A001.mov');
  });

  it('arrives by a command with no account, the same in every byte', async () => {
    const run = longshore(['get', '-', at('in'), '--no-agent', '--data-dir', at('receiver'), ...quiet], { input: link });
    expect([await run.ended, run.stdout()]).toEqual([0, expect.stringMatching(new RegExp(`^\\d+ files, 7\\.04 MB, in ${at('in')}\n$`))]);
    expect(readTree(at('in/dailies'))).toEqual(readTree(at('dailies')));
  });

  it('does not arrive by a link with a wrong secret, with 5', async () => {
    const wrong = link.replace(/secret=.*/, 'secret=wrong');
    for (const args of [
      ['ls', wrong],
      ['get', wrong, at('wrong'), '--no-agent', '--data-dir', at('receiver'), ...quiet],
    ]) {
      const { code, stdout, stderr } = await longshoreHere(args);
      expect([code, stdout]).toEqual([5, '']);
      expect(stderr).toMatch(/There is no .* with this id/);
    }
  });

  it('is not sent with a wrong key, with 3', async () => {
    const args = ['send', at('dailies'), '--no-agent', '--service-url', serviceUrl, '--data-dir', at('stranger'), ...quiet];
    const { code, stdout, stderr } = await longshoreHere(args, { env: { LONGSHORE_API_KEY: 'ls_wrong' } });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^longshore: .*not valid/m);
  });

  it('is sent and fetched through a running agent, which lists both', async () => {
    const agent = longshore(['agent', '--listen', '127.0.0.1:0', '--service-url', serviceUrl, '--data-dir', at('agent'), ...quiet], {
      env: { LONGSHORE_API_KEY: apiKey },
    });
    const [, agentUrl = ''] = await agent.line(/ is ready at (\S+)$/);
    const connection = ['--agent-url', agentUrl];
    const send = await longshoreHere(['send', at('dailies/A001.mov'), '--team', 'harbour films', '--to', 'leo@example.com', ...connection]);
    expect(send.code).toBe(0);
    const [url, email] = send.stdout.trim().split('\t');
    expect(email).toBe('leo@example.com');
    expect((await longshoreHere(['get', url!, at('by-agent'), '--package-folder', ...connection])).code).toBe(0);
    expect(await readFile(at('by-agent/A001.mov/A001.mov'))).toEqual(await readFile(at('dailies/A001.mov')));
    const ls = await longshoreHere(['ls', ...connection]);
    expect(ls.code).toBe(0);
    expect(ls.stdout).toMatch(/^↑ A001\.mov {2}Sent 1 file, 7\.00 MB$/m);
    expect(ls.stdout).toMatch(/^↓ A001\.mov {2}Received 1 file, 7\.00 MB$/m);
    // The service that is named is the one that gets the files, or nobody does.
    const named = await longshoreHere(['send', at('dailies/sound'), '--service-url', serviceUrl, ...connection]);
    expect([named.code, named.stdout.startsWith(serviceUrl)]).toEqual([0, true]);
    const other = await longshoreHere(['send', at('dailies/later'), '--service-url', 'http://127.0.0.1:9', ...connection]);
    expect([other.code, other.stdout]).toEqual([3, '']);
    expect(other.stderr).toMatch(/is not signed in to http:\/\/127\.0\.0\.1:9\./);
    agent.process.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
  });

  it.each(firstOf([false, true]))(
    'of which some cannot be sent names each of these, and is sent without them where that is said (agent: %s)',
    async (byAgent) => {
      const source = at(`partly ${byAgent}`);
      writeTree(source, { 'good.txt': 'good', 'sub/bad:name.txt': 'bad', 'worse\u202egnp.exe': 'worse', '.DS_Store': 'ignored' });
      symlinkSync('good.txt', join(source, 'link'));
      const agent = byAgent
        ? longshore(['agent', '--listen', '127.0.0.1:0', '--service-url', serviceUrl, '--data-dir', at('partly-agent'), ...quiet], {
            env: { LONGSHORE_API_KEY: apiKey },
          })
        : null;
      const [, agentUrl = ''] = (await agent?.line(/ is ready at (\S+)$/)) ?? [];
      const connection = agent
        ? ['--agent-url', agentUrl]
        : ['--no-agent', '--service-url', serviceUrl, '--api-key-file', at('key'), '--data-dir', at('partly-own'), ...quiet];
      try {
        const failed = await longshoreHere(['send', source, ...connection]);
        expect([failed.code, failed.stdout]).toEqual([6, '']);
        const name = `partly ${byAgent}`;
        expect(failed.stderr).toMatch(new RegExp(`^Failed: ${name}/sub/bad:name\\.txt: .* contains :, which Windows cannot hold`, 'm'));
        expect(failed.stderr).toMatch(new RegExp(`^Failed: ${name}/worse\ufffdgnp\\.exe: .*turns the direction of text`, 'm'));
        expect(failed.stderr).toMatch(new RegExp(`^Left out: ${name}/link: .* it is a symbolic link`, 'm'));
        expect(failed.stderr).toMatch(/^longshore: 2 of 3 files did not get through\./m);
        const told = await longshoreHere(['send', source, '--json', ...connection]);
        expect(told.code).toBe(6);
        expect(JSON.parse(told.stdout)).toMatchObject({
          state: 'error',
          failed: [{ code: errorCatalogue.name_refused.code }, { path: expect.stringContaining('worse') }],
          left_out: [{ path: `${name}/.DS_Store` }, { path: `${name}/link`, code: errorCatalogue.left_out.code }],
        });
        const without = await longshoreHere(['send', source, '--skip-failed', ...connection]);
        expect([without.code, without.stdout.startsWith(`${serviceUrl}/d/`)]).toEqual([0, true]);
        expect(without.stderr.match(/^Failed: partly /gm)).toHaveLength(2);
        expect((await longshoreHere(['ls', without.stdout.trim()])).stdout).toMatch(/^ *4 B {2}partly \w+\/good\.txt\n$/);
        const nothing = await longshoreHere(['send', join(source, 'sub/bad:name.txt'), '--skip-failed', ...connection]);
        expect([nothing.code, nothing.stdout]).toEqual([6, '']);
        expect(nothing.stderr).toMatch(/^longshore: 1 of 1 files did not get through\./m);
      } finally {
        agent?.process.kill('SIGTERM');
        await agent?.ended;
      }
    },
  );

  it('goes on where it was after Ctrl-C and the same command again', async () => {
    writeTree(at('long'), { 'film.mov': seededBytes(60_000_000, 3) });
    const send = await longshoreHere([
      ...['send', at('long'), '--no-agent', '--service-url', serviceUrl, '--api-key-file', at('key')],
      ...['--data-dir', at('sender'), ...quiet],
    ]);
    expect(send.code).toBe(0);
    const args = ['get', '-', at('resumed'), '--no-agent', '--data-dir', at('interrupted'), ...quiet];
    const first = longshore(args, { input: send.stdout });
    await first.line(/^(Waiting|Opening|Receiving)/);
    // The service stands still meanwhile, so that the download cannot be done before the signal comes.
    service.process.kill('SIGSTOP');
    first.process.kill('SIGINT');
    const code = await first.ended;
    service.process.kill('SIGCONT');
    expect([code, first.stdout()]).toEqual([130, '']);
    expect(first.stderr()).toContain('run the same command again, and it goes on where it was');
    expect((await longshoreHere(args, { input: send.stdout })).code).toBe(0);
    expect(readTree(at('resumed'))).toEqual({ 'long/film.mov': readTree(at('long'))['film.mov'] });
  });

  it(
    'goes on with what a browser began after Ctrl-C and the same command again, though the link is used up',
    inAll('engine-handovers, and e2e/hand-over'),
    async () => {
      const film = seededBytes(60_000_000, 4);
      writeTree(at('begun'), { 'film.mov': film });
      const { teams } = await call('/v1/auth', {}, { email: 'mia@example.com', password: 'correct horse battery staple' });
      const made = { name: 'Begun', description: '', recipients: [] };
      const { id, access_token } = await call(`/v1/teams/${teams[0].id}/packages`, { 'x-api-key': apiKey }, made);
      const headers = { 'x-package-token': access_token };
      const handover = await call(`/v1/packages/${id}/handovers`, headers, undefined);
      const last_modified = new Date(Math.floor(statSync(at('begun/film.mov')).mtimeMs)).toISOString();
      await fetch(`${serviceUrl}/v1/packages/${id}/handovers/${handover.id}/parts/0`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ files: [{ kind: 'file', path: '', name: 'film.mov', size: film.length, last_modified }] }),
      });
      const args = ['continue', '-', '--from', at('begun'), '--no-agent', '--data-dir', at('went-on'), ...quiet];
      const input = handoverAddress(serviceUrl, handover.code);
      const first = longshore(args, { input });
      await first.line(/^(Waiting|Preparing|Sending)/);
      // As above: it cannot be done before the signal comes.
      service.process.kill('SIGSTOP');
      first.process.kill('SIGINT');
      const code = await first.ended;
      service.process.kill('SIGCONT');
      expect([code, first.stdout()]).toEqual([130, '']);
      expect(first.stderr()).toContain('run the same command again, and it goes on where it was');
      const second = await longshoreHere(args, { input });
      expect([second.code, second.stderr]).toEqual([0, expect.any(String)]);
      expect(second.stdout).toMatch(/^1 file, 60\.0 MB\n/);
    },
  );
});

describe('the service', () => {
  it(
    'says that its port is taken, with 7, and leaves no database behind',
    inAll('faults/service-start, and unit/main/cli/failure'),
    async () => {
      const port = new URL(serviceUrl).port;
      await copyStartedFolder(at('second'), { email: ownerEmail, password: ownerPassword, team: 'Harbour' });
      const run = longshore(['service', '--listen', `127.0.0.1:${port}`, '--data-dir', at('second'), ...quiet]);
      expect([await run.ended, run.stdout()]).toEqual([7, '']);
      expect(run.stderr()).toMatch(new RegExp(`^longshore: .*${port}`, 'm'));
      expect(await processesWith(at('second'))).toEqual([]);
    },
  );

  it('gives its first Team the limits of its options', async () => {
    const { code, stdout } = await longshoreHere(['admin', 'quota', 'list', '--json', '--data-dir', at('data')]);
    expect(code).toBe(0);
    const quotas = { storage: { limit: 500_000_000_000 }, traffic: { limit: 2 * 1024 ** 4 } };
    expect(JSON.parse(stdout)).toMatchObject([{ quotas }]);
  });

  it('says that another service has its data folder, with 6', inAll('faults/service-start'), async () => {
    const run = longshore(['service', '--listen', '127.0.0.1:0', '--data-dir', at('data'), ...quiet]);
    expect([await run.ended, run.stdout()]).toEqual([6, '']);
  });

  it('generates what its first start is not told, prints it once, and stops on SIGTERM', inAll('faults/service-start'), async () => {
    const args = ['service', '--listen', '127.0.0.1:0', '--data-dir', at('fresh'), ...quiet];
    const first = longshore(args);
    const [, password] = await first.line(/^ {2}Password: (\S+) {3}\(generated; shown only this once\)$/);
    await first.line(/ is ready at /);
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(await processesWith(at('fresh'))).toEqual([]);
    const again = longshore(args);
    const [, url] = await again.line(/ is ready at (\S+)$/);
    expect(again.stdout()).toBe(`Longshore service is ready at ${url}\n`);
    const email = /E-mail: +(\S+)/.exec(first.stdout())?.[1];
    const reply = await fetch(`${url}/v1/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(reply.status).toBe(200);
    again.process.kill('SIGTERM');
    expect(await again.ended).toBe(0);
  });
});
