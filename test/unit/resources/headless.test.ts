import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { backupCommand } from '#main/cli/commands/admin/backup.ts';
import { agentCommand } from '#main/cli/commands/agent.ts';
import { serviceCommand } from '#main/cli/commands/service.ts';
import { variablesByFile } from '#main/cli/variable-files.ts';
import { parseConfig } from '#main/config/read-file.ts';
import { resolveConfig } from '#main/config/resolve.ts';
import { freePort } from '#main/start/ports.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { hasNginx, inMain } from '#test/support/storage/nginx.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const runs = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** The files for operators name programs, paths, options and variables that are there. */

const project = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(project, 'resources', path), 'utf8');
const options = [...agentCommand().options, ...serviceCommand().options];
const flags = new Set(options.map(({ long }) => long));
const variables = new Set(options.map(({ envVar }) => envVar));
/** Of a variable whose value stands in a file (main/cli/variable-files.ts). */
const withoutFile = (variable: string): string =>
  Object.hasOwn(variablesByFile, variable.replace(/_FILE$/, '')) ? variable.replace(/_FILE$/, '') : variable;

it('the example of settings is understood, with what stands in it as a comment, too', () => {
  const file = parseConfig(read('agent.yaml').replaceAll(/^#(?=\w+: )/gm, ''), 'agent.yaml');
  expect(() => parseConfig(read('agent.yaml'), 'agent.yaml')).not.toThrow();
  const { config } = resolveConfig({ value: () => undefined, source: () => 'default' }, { ...file, path: '/etc/longshore/agent.yaml' });
  expect(config).toMatchObject({ listen: { path: '/run/longshore/agent.sock' }, apiKeyFile: '/etc/longshore/api-key', logLevel: 'info' });
});

describe.each([
  ['agent', 'longshore'],
  ['service', 'longshore-service'],
])('the unit of systemd for the %s', (program, folder) => {
  const name = `longshore-${program}.service`;
  const unit = read(`systemd/${name}`);
  it('starts it by options and variables that exist, with less right than its user', () => {
    const [, command, args = ''] = /^ExecStart=\S+ (\w+)(.*)$/m.exec(unit) ?? [];
    expect(command).toBe(program);
    for (const [flag] of args.matchAll(/--[\w-]+/g)) expect(flags).toContain(flag);
    for (const [variable] of unit.matchAll(/LONGSHORE_\w+/g)) expect(variables).toContain(variable);
    for (const line of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'CapabilityBoundingSet=', `StateDirectory=${folder}`]) {
      expect(unit.split('\n')).toContain(line);
    }
  });

  it('starts it at boot, after the network and its disk, and again after a failure', () => {
    for (const line of ['WantedBy=multi-user.target', 'Restart=on-failure', 'Wants=network-online.target']) {
      expect(unit.split('\n')).toContain(line);
    }
    expect(unit).toMatch(/^After=network-online\.target/m);
  });

  it('puts systemd’s own judgement of its rights on its page', () => {
    // Each a reason that stands in the unit.
    for (const setting of ['MemoryDenyWriteExecute', 'ProcSubset', 'PrivateUsers']) {
      expect(unit).toContain(setting);
      expect(unit).not.toMatch(new RegExp(`^${setting}=`, 'm'));
    }
  });

  const systemd = runs('systemd-analyze', '--version');
  const judged = systemd && runs('systemd-analyze', '--offline=true', 'security', join(project, 'resources/systemd', name));
  it.skipIf(!judged)(
    `has so few rights that systemd calls it exposed by 2.0 at most${judged ? '' : ' (skipped: no systemd here that judges a file)'}`,
    () => {
      const judge = (...args: string[]) =>
        spawnSync('systemd-analyze', ['--offline=true', '--no-pager', ...args, 'security', join(project, 'resources/systemd', name)], {
          encoding: 'utf8',
        });
      const { status, stdout, stderr } = judge('--threshold=20');
      expect([status, stderr], stdout.split('\n').at(-2)).toEqual([0, '']);
      // The measure measures.
      expect(judge('--threshold=1').status).not.toBe(0);
    },
  );

  it.skipIf(!systemd)(systemd ? 'is what systemd understands' : 'is what systemd understands (skipped: there is none here)', () => {
    const place = mkdtempSync(join(tmpdir(), 'longshore-unit-'));
    try {
      const file = join(place, name);
      // It wants the program to be there.
      writeFileSync(file, unit.replace('/usr/local/bin/longshore', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      expect([status, stderr.split('\n').filter((line) => line.includes(name))]).toEqual([0, []]);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});

describe('the units of systemd', () => {
  it('start a program that can be started, by its own name', () => {
    // What is linked to /usr/local/bin/longshore (systemd/README.md).
    const program = join(project, 'main/cli/longshore.js');
    expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    if (process.platform !== 'win32') expect(statSync(program).mode & 0o111).toBe(0o111);
  });

  it('stop the service before its PostgreSQL, whose socket operators reach', () => {
    const lines = read('systemd/longshore-service.service').split('\n');
    expect(lines).toContain('KillMode=mixed');
    expect(lines).toContain('Environment=TMPDIR=/run/longshore-service');
    expect(lines).toContain('RuntimeDirectory=longshore-service');
  });

  it('make backups by a command and variables that exist, as the user of the service, who may write there alone', () => {
    const unit = read('systemd/longshore-backup.service');
    const [, target] = /^ExecStart=longshore admin backup (\S+)$/m.exec(unit) ?? [];
    expect(target).toBe('/mnt/backup');
    expect(unit).toContain(`\nRequiresMountsFor=${target}\n`);
    expect(unit).toContain(`\nReadWritePaths=${target} `);
    const known = backupCommand().options.map(({ envVar }) => envVar);
    for (const [variable] of unit.matchAll(/LONGSHORE_\w+/g)) expect(known).toContain(variable);
    const userOf = (text: string) => text.match(/^(?:User|Group|EnvironmentFile)=.*$/gm)!.toSorted();
    expect(userOf(unit)).toEqual(userOf(read('systemd/longshore-service.service')));
  });

  it.skipIf(!runs('systemd-analyze', '--version'))(
    'make backups by a service and a timer that systemd understands, with few rights',
    () => {
      const place = mkdtempSync(join(tmpdir(), 'longshore-unit-'));
      try {
        const files = ['service', 'timer'].map((kind) => join(place, `longshore-backup.${kind}`));
        for (const file of files) {
          const text = read(`systemd/${file.slice(place.length + 1)}`);
          // It wants the program to be there.
          writeFileSync(file, text.replace('ExecStart=longshore', `ExecStart=${process.execPath}`));
        }
        const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
        expect([status, stderr.split('\n').filter((line) => line.includes('longshore'))]).toEqual([0, []]);
        const judge = ['--offline=true', '--no-pager', '--threshold=20', 'security', files[0]!];
        // An older one judges no file.
        if (runs('systemd-analyze', ...judge.toSpliced(2, 1))) expect(spawnSync('systemd-analyze', judge).status).toBe(0);
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    },
  );

  it('come with an example of settings whose variables exist', () => {
    const names = [...read('service.env').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(variables).toContain(name);
  });

  const shell = runs('sh', '-c', 'true');
  it.skipIf(!shell)('come with an example that a shell reads as systemd does', () => {
    // Commands take their settings from it (docs/operating/monitoring.md).
    const given = read('service.env').replaceAll(/^#([A-Z_]+=)/gm, '$1');
    const { stdout, stderr } = spawnSync('sh', ['-c', `set -a\n${given}\nenv`], { env: { PATH: process.env['PATH'] }, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'LONGSHORE_DATA_DIR=/var/lib/longshore-service',
        'LONGSHORE_TEAM=Harbour Films',
        'LONGSHORE_MAIL_FROM=Harbour Films <files@example.com>',
        'STORAGE_URL=s3://KEY:SECRET@minio.example.com:9000/bucket?region=us-east-1&path_style=true',
      ]),
    );
  });
});

describe('the configurations of nginx', () => {
  it.skipIf(!hasNginx())('are taken together, as of several nodes on one machine', async () => {
    const folder = await tempFolder();
    try {
      const at = (name: string) => join(folder.path, name);
      spawnSync('openssl', [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-subj',
        '/CN=x',
        '-keyout',
        at('key.pem'),
        '-out',
        at('cert.pem'),
      ]);
      const port = await freePort(0);
      const sites = ['longshore-api.conf', 'longshore-storage.conf'].map((name) =>
        read(`nginx/${name}`)
          .replaceAll(/^ *listen \[::\]:443.*\n/gm, '')
          .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
          .replaceAll('/etc/nginx/longshore-storage-locations.conf', join(project, 'resources/nginx/longshore-storage-locations.conf'))
          .replaceAll(/\/etc\/ssl\/longshore\/\w+\.pem/g, at('cert.pem'))
          .replaceAll(/\/etc\/ssl\/longshore\/\w+\.key/g, at('key.pem'))
          .replaceAll('/var/log/nginx/', `${folder.path}/`),
      );
      await writeFile(at('nginx.conf'), inMain(sites.join('\n'), folder.path));
      const { status, stderr } = spawnSync('nginx', ['-t', '-c', at('nginx.conf'), '-e', at('error.log')], {
        env: { PATH: `${process.env['PATH']}:/usr/sbin` },
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
    } finally {
      await folder.remove();
    }
  });
});

describe('the property list of launchd', () => {
  it('starts the agent by options that exist', () => {
    const plist = read('launchd/app.longshore.agent.plist');
    const words = [...plist.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word]) => word!);
    expect(words).toContain('agent');
    for (const word of words.filter((one) => one.startsWith('--'))) expect(flags).toContain(word);
  });

  const python = runs('python3', '-c', 'import plistlib');
  it.skipIf(!python)(python ? 'is a property list' : 'is a property list (skipped: there is no python3 here)', () => {
    const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const { stdout, stderr } = spawnSync('python3', ['-c', script], { input: read('launchd/app.longshore.agent.plist'), encoding: 'utf8' });
    expect(stderr).toBe('');
    const job = JSON.parse(stdout) as Record<string, unknown>;
    // It is started again unless it ended in good order, and has its 10 s to stop.
    expect(job).toMatchObject({ Label: 'app.longshore.agent', RunAtLoad: true, KeepAlive: { SuccessfulExit: false }, Umask: 0o077 });
    expect(job['ExitTimeOut']).toBeGreaterThan(10);
  });
});

describe('the container files', () => {
  const dockerfile = read('docker/Dockerfile');
  it('copy rooms that are there, and every room that runs', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \S+ \/app\/(\S+) \.\/\S*$/gm)].map(([, path]) => path!);
    for (const path of copied) expect(existsSync(join(project, path)), path).toBe(true);
    const rooms = [
      'protocol',
      'client',
      'filesystem',
      'net',
      'storage',
      'providers',
      'service',
      'engine',
      'agent-api',
      'main',
      'renderer',
      'web',
      'resources',
    ];
    expect(copied).toEqual(expect.arrayContaining(rooms));
    // `npm ci` builds the pages, so it needs what they are made from.
    expect(dockerfile.indexOf('COPY . .')).toBeGreaterThan(0);
    expect(dockerfile.indexOf('COPY . .')).toBeLessThan(dockerfile.indexOf('RUN npm ci'));
    expect(dockerfile).toContain('/app/main/cli/longshore.js /usr/local/bin/longshore');
  });

  interface Compose {
    readonly services: Readonly<
      Record<
        string,
        {
          readonly command?: readonly string[];
          readonly environment?: Readonly<Record<string, string>>;
          readonly build?: { readonly context: string; readonly dockerfile: string };
          readonly secrets?: readonly string[];
          readonly volumes?: readonly string[];
          readonly networks?: readonly string[];
          readonly [option: string]: unknown;
        }
      >
    >;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
    readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  }
  const compose = parseYaml(read('docker/compose.yaml')) as Compose;

  it('give options and variables that exist', () => {
    expect(Object.keys(compose.services)).toEqual(['database', 'service', 'agent']);
    for (const name of ['service', 'agent'] as const) {
      const { command = [], environment = {}, build } = compose.services[name]!;
      const known = (name === 'service' ? serviceCommand() : agentCommand()).options;
      expect(command[0]).toBe(name);
      for (const flag of command.filter((word) => word.startsWith('--'))) expect(known.map(({ long }) => long)).toContain(flag);
      for (const variable of Object.keys(environment)) expect(known.map(({ envVar }) => envVar)).toContain(withoutFile(variable));
      expect(existsSync(join(project, build!.dockerfile))).toBe(true);
    }
  });

  it('give secrets by file, and use all that they declare', () => {
    for (const [name, { secrets = [], volumes = [], networks = [], environment = {} }] of Object.entries(compose.services)) {
      for (const secret of secrets) expect(compose.secrets, name).toHaveProperty(secret);
      for (const path of Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))) {
        expect(secrets).toContain(path.replace('/run/secrets/', ''));
      }
      for (const volume of volumes.filter((one) => !one.startsWith('.'))) expect(compose.volumes).toHaveProperty(volume.split(':')[0]!);
      for (const network of networks) expect(compose.networks).toHaveProperty(network);
      for (const variable of Object.keys(environment).filter((one) => /PASSWORD|_URL_FILE/.test(one))) expect(variable).toMatch(/_FILE$/);
    }
    expect(compose.networks['inside']).toEqual({ internal: true });
  });

  it('run with few rights, on a root that they cannot write', () => {
    for (const name of ['service', 'agent']) {
      expect(compose.services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        tmpfs: ['/tmp'],
      });
    }
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  // Seconds of Python: for the soak.
  const composes = soaking && runs('docker-compose', 'version');
  it.skipIf(!composes)(`are what compose understands${composes ? '' : ' (skipped: in a soak, where docker-compose is)'}`, () => {
    const place = mkdtempSync(join(tmpdir(), 'longshore-compose-'));
    try {
      const file = join(place, 'compose.yaml');
      writeFileSync(file, read('docker/compose.yaml'));
      const config = (env: NodeJS.ProcessEnv) =>
        spawnSync('docker-compose', ['-f', file, 'config'], { encoding: 'utf8', env: { ...process.env, ...env } });
      const { status, stdout, stderr } = config({ OWNER_EMAIL: 'mia@example.com' });
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain('LONGSHORE_OWNER_EMAIL: mia@example.com');
      expect(config({ OWNER_EMAIL: '' }).stderr).toContain('set OWNER_EMAIL');
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
