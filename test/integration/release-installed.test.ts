import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { release } from '#main/release/release.ts';
import type { AuthResult, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { installPackage } from '#test/support/system/install-package.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * What `npm run dist` makes, installed into a bare Debian and used there; in a soak alone, by root, with the network. The bare
 * system is a folder with namespaces of its own for processes and mounts, and this machine's network. systemd does not run in it:
 * services are started as their units say (resources/systemd/), by hand. `LONGSHORE_TEST_DIST` names a folder where what is made first
 * stays for the next run.
 */

const run = promisify(execFile);
const isHere = soaking && process.platform === 'linux' && process.getuid?.() === 0;
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const owner = { email: 'mia@example.com', password: 'correct horse battery' };

vi.setConfig({ testTimeout: 900_000, hookTimeout: 1_800_000 });

describe.skipIf(!isHere)('what npm run dist makes', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let made: string;
  let base: string;
  const running = new Set<ChildProcess>();
  beforeAll(async () => {
    for (const [program, name] of [
      ['/usr/sbin/debootstrap', 'debootstrap'],
      ['/usr/bin/lintian', 'lintian'],
    ] as const) {
      if (!existsSync(program)) expect(installPackage(name)).toBeNull();
    }
    folder = await tempFolder();
    const kept = process.env['LONGSHORE_TEST_DIST'] ?? folder.path;
    [made, base] = [join(kept, 'made'), join(kept, 'base')];
    if (!existsSync(made)) await release(['--arch', arch, '--quick', '--out', made], () => undefined);
    if (existsSync(base)) return;
    await run('debootstrap', ['--variant=minbase', '--include=adduser', 'bookworm', base, 'http://deb.debian.org/debian'], {
      maxBuffer: 2 ** 26,
    });
  });
  afterAll(async () => {
    for (const child of running) await ended(child);
    await folder?.remove();
  });

  const madeFile = (pattern: RegExp): string => join(made, readdirSync(made).find((name) => pattern.test(name))!);

  async function bareSystem(name: string): Promise<string> {
    const root = join(folder.path, name);
    // With its devices.
    await run('cp', ['--archive', base, root]);
    return root;
  }

  const inside = (root: string, script: string): readonly string[] => [
    ...['--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${root}/proc`, 'chroot', root],
    ...[
      '/usr/bin/env',
      '-i',
      'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
      'DEBIAN_FRONTEND=noninteractive',
      'LC_ALL=C.UTF-8',
      'sh',
      '-ec',
      script,
    ],
  ];
  const sh = async (root: string, script: string): Promise<string> =>
    await run('unshare', [...inside(root, script)], { maxBuffer: 2 ** 26 }).then(({ stdout, stderr }) => `${stdout}${stderr}`);

  /** Starts a service there until it says where it answers; it ends with all its processes. */
  async function startService(root: string, command: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const child = spawn('unshare', [...inside(root, command)], { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    for await (const line of createInterface({ input: child.stdout })) {
      said += `${line}\n`;
      const [, url] = / is ready at (\S+)$/.exec(line) ?? [];
      if (url) return { url, stop: () => ended(child) };
    }
    throw new Error(`It ended without being ready: ${said}`);
  }

  /** By SIGKILL of the first process of its namespace, with which all others end: what is written down is all that counts. */
  async function ended(child: ChildProcess): Promise<void> {
    running.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    const inner = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ');
    for (const pid of inner.filter((one) => one !== '')) process.kill(Number(pid), 'SIGKILL');
    await exit;
  }

  async function apiKeyOf(url: string): Promise<string> {
    const call = callAt(url);
    const { body } = await call<AuthResult>('POST', '/v1/auth', { body: owner });
    const key = await call<CreatedApiKey>('POST', `/v1/teams/${body.teams[0]!.id}/api_keys`, {
      headers: { 'x-user-token': body.token },
      body: { name: 'Installed', state: 'active' },
    });
    expect(key.status).toBe(201);
    return key.body.key;
  }

  const ports = 'LONGSHORE_LISTEN=127.0.0.1:0 LONGSHORE_STORAGE_LISTEN=127.0.0.1:0';
  const account = `LONGSHORE_OWNER_EMAIL=${owner.email} LONGSHORE_OWNER_PASSWORD="${owner.password}"`;

  /** Sends a folder by the command line there, and gets it again. */
  async function crossed(root: string, program: string, url: string): Promise<string> {
    const here = `LONGSHORE_SERVICE_URL=${url} LONGSHORE_API_KEY=${await apiKeyOf(url)} HOME=/tmp/home`;
    await sh(
      root,
      `rm -rf /tmp/in /tmp/out; mkdir -p /tmp/home /tmp/in/a; head -c 3000000 /dev/urandom > /tmp/in/a/one.bin; echo ü > /tmp/in/ü.txt`,
    );
    const sent = await sh(root, `env ${here} ${program} send /tmp/in --no-agent --json`);
    const link = /https?:\/\/[^"\s]+\/links?\/[^"\s]+|"url":\s*"([^"]+)"/.exec(sent);
    const address = link?.[1] ?? link?.[0];
    expect(address, sent).toBeDefined();
    await got(root, program, here, address!);
    return address!;
  }
  async function got(root: string, program: string, here: string, link: string): Promise<void> {
    await sh(root, `rm -rf /tmp/out; env ${here} ${program} get '${link}' /tmp/out --no-agent && diff -r /tmp/in /tmp/out/in`);
  }

  it('as an archive runs where nothing is installed', async () => {
    const root = await bareSystem('archive');
    await run('tar', ['--extract', '--gzip', '--file', madeFile(/\.tar\.gz$/), '-C', join(root, 'opt')]);
    const program = `/opt/${readdirSync(join(root, 'opt'))[0]!}/bin/longshore`;
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
    expect((await sh(root, `${program} --version`)).trim()).toBe(version);
    const service = await startService(root, `env HOME=/root ${ports} ${account} ${program} service --data-dir /srv/data`);
    await crossed(root, program, service.url);
    await service.stop();
  });

  it('as a Debian package is installed, used, upgraded with its data, and purged', async () => {
    const root = await bareSystem('debian');
    const deb = madeFile(/\.deb$/);
    await cp(deb, join(root, 'tmp/longshore.deb'));
    await newerPackage(deb, join(root, 'tmp/newer.deb'));
    await sh(root, 'dpkg -i /tmp/longshore.deb');
    expect(await sh(root, 'stat -c "%U:%G %a" /var/lib/longshore-service /etc/longshore/service.env')).toBe(
      'longshore-service:longshore-service 700\nroot:longshore-service 640\n',
    );
    // As its unit starts it.
    const unit = `mkdir -p /run/longshore-service && chown longshore-service: /run/longshore-service && exec setpriv --reuid=longshore-service \
      --regid=longshore-service --init-groups --no-new-privs env LONGSHORE_DATA_DIR=/var/lib/longshore-service TMPDIR=/run/longshore-service \
      ${ports} ${account} /usr/bin/longshore service`;
    let service = await startService(root, unit);
    const link = await crossed(root, 'longshore', service.url);
    await service.stop();

    await sh(root, 'echo "# mine" >> /etc/longshore/service.env');
    await sh(root, 'dpkg -i /tmp/newer.deb');
    expect(await sh(root, 'dpkg-query -s longshore | grep ^Version:; tail -1 /etc/longshore/service.env')).toMatch(/\+newer1\n# mine\n$/);
    service = await startService(root, unit);
    const key = await apiKeyOf(service.url);
    const moved = link.replace(/^https?:\/\/[^/]+/, service.url);
    await got(root, 'longshore', `LONGSHORE_SERVICE_URL=${service.url} LONGSHORE_API_KEY=${key} HOME=/tmp/home`, moved);
    await service.stop();

    expect(await sh(root, 'dpkg -r longshore 2>&1; ls /etc/longshore')).toContain('service.env');
    const purged = await sh(root, 'dpkg -P longshore 2>&1');
    expect(purged).toContain("Longshore's data stay in /var/lib/longshore-service");
    const left = await sh(
      root,
      'find / -xdev -iname "*longshore*" -not -path "/proc/*" -not -path "/tmp/*" -not -path "/var/lib/longshore-service/*" -not -path "/run/*"; ls /etc/longshore 2>&1 || true',
    );
    expect(left.trim().split('\n').toSorted()).toEqual(
      ["ls: cannot access '/etc/longshore': No such file or directory", '/var/lib/longshore-service'].toSorted(),
    );
    // The agent's user had no data, so it is gone; the service's owns its data.
    expect(await sh(root, 'getent passwd longshore || echo none; getent passwd longshore-service | cut -d: -f1')).toBe(
      'none\nlongshore-service\n',
    );
    await sh(
      root,
      'rm -r /var/lib/longshore-service; deluser --quiet --system longshore-service; dpkg -i /tmp/longshore.deb && dpkg -P longshore',
    );
  });

  /** The same with a later version, as an update brings it. */
  async function newerPackage(deb: string, file: string): Promise<void> {
    const tree = join(folder.path, 'newer');
    await run('dpkg-deb', ['-R', deb, tree]);
    const control = join(tree, 'DEBIAN/control');
    await writeFile(
      control,
      (await readFile(control, 'utf8')).replace(/^Version: .*$/m, (line) => `${line}+newer1`),
    );
    await run('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, file]);
    await rm(tree, { recursive: true });
  }

  it('has nothing that lintian finds', async () => {
    const { stdout } = await run('lintian', ['--allow-root', '--no-cfg', '--fail-on', 'none', madeFile(/\.deb$/)], { maxBuffer: 2 ** 26 });
    expect(stdout.split('\n').filter((line) => /^[EW]:/.test(line))).toEqual([]);
  });

  it('lists its components as CycloneDX says', async () => {
    const list = JSON.parse(await readFile(madeFile(/components\.json$/), 'utf8')) as { specVersion: string };
    const schemas = join(folder.path, 'schemas');
    await mkdir(schemas);
    await run('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', schemas, '@cyclonedx/cyclonedx-library@10.3.0'], {
      maxBuffer: 2 ** 26,
    });
    const at = join(schemas, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
    const read = async (name: string) => JSON.parse(await readFile(join(at, name), 'utf8')) as object;
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    // They name each other by their files.
    for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json'])
      ajv.addSchema({ ...(await read(name)), $id: `http://cyclonedx.org/schema/${name}` });
    const validate = ajv.compile(await read(`bom-${list.specVersion}.SNAPSHOT.schema.json`));
    expect([validate(list), validate.errors]).toEqual([true, null]);
  });
});
