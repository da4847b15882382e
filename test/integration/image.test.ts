import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * What the Dockerfile puts into its image, laid out as there and started as the compose file starts it, without a
 * container: the rooms that it copies, packages without those that only developers need, and its entry point.
 */

const project = fileURLToPath(new URL('../..', import.meta.url));
const dockerfile = readFileSync(join(project, 'resources/docker/Dockerfile'), 'utf8');
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}
interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
        readonly healthcheck?: { readonly test: readonly string[] };
      }
    >
  >;
}
const { services } = parseYaml(readFileSync(join(project, 'resources/docker/compose.yaml'), 'utf8')) as Compose;

/** As compose fills in `${NAME}`, `${NAME:-default}` and `${NAME:?why}`. */
const filled = (text: string, given: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, otherwise = '') => given[name] ?? otherwise);

/** Any port of this machine, and none beyond it. */
const here = (argument: string): string => argument.replace(/^(0\.0\.0\.0|127\.0\.0\.1):\d+$/, '127.0.0.1:0');

// Two programs and a database start.
vi.setConfig({ testTimeout: 180_000 });

describe.skipIf(process.platform === 'win32')('the image', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let root: string;
  const runs: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await tempFolder();
    root = join(folder.path, 'app');
    const pages = await Promise.all([buildPages('renderer'), buildPages('web')]);
    const copied = [...image.matchAll(/^COPY --from=build \S+ \/app\/(\S+) \.\/(\S*)$/gm)].map(([, from, to]) => [from!, to || from!]);
    for (const [from, to] of copied) {
      if (from === 'node_modules') continue;
      // What the project's folder holds of its own is not in the build's context (Dockerfile.dockerignore).
      await cp(join(project, from!), join(root, to!), { recursive: true, filter: (path) => !/[\\/]dist$/.test(path) });
    }
    await cp(pages[0].folder, join(root, 'renderer/dist'), { recursive: true });
    await cp(pages[1].folder, join(root, 'web/dist'), { recursive: true });
    await linkPackages(join(root, 'node_modules'));
    const [, target, link] = /ln -s \/app\/(\S+) (\S+)/.exec(image)!;
    await mkdir(join(folder.path, 'bin'));
    await symlink(join(root, target!), join(folder.path, 'bin', link!.split('/').at(-1)!));
  });
  afterAll(async () => {
    for (const run of runs.filter(({ exitCode }) => exitCode === null)) {
      run.kill('SIGKILL');
      await once(run, 'exit');
    }
    await folder?.remove();
  });

  /** As `npm prune --omit=dev` leaves them. */
  async function linkPackages(target: string): Promise<void> {
    const { packages } = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')) as Lock;
    for (const [path, { dev, devOptional }] of Object.entries(packages)) {
      if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev || devOptional || !existsSync(join(project, path))) continue;
      const place = join(target, path.replace('node_modules/', ''));
      await mkdir(dirname(place), { recursive: true });
      await symlink(join(project, path), place);
    }
  }

  const environment = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };

  /** Starts the entry point as a service of the compose file does, with what an operator gives, until it says where it answers. */
  async function start(
    name: string,
    given: Readonly<Record<string, string>>,
    instead: Readonly<Record<string, string>>,
  ): Promise<{ readonly run: ChildProcess; readonly url: string }> {
    const { command = [], environment: said = {} } = services[name]!;
    const [, entry] = /^ENTRYPOINT \["(.+)"\]$/m.exec(image)!;
    const own = Object.fromEntries(
      [...(/^ENV (.+)$/m.exec(image)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key, value]),
    );
    const set = Object.fromEntries(Object.entries(said).map(([key, value]) => [key, filled(value, given)]));
    const run = spawn(join(folder.path, 'bin', entry!), command.map(here), {
      cwd: root,
      env: { ...environment, ...own, LONGSHORE_DATA_DIR: join(folder.path, `data-${name}`), ...set, ...instead },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    runs.push(run);
    const complaints = text(run.stderr);
    for await (const line of createInterface({ input: run.stdout })) {
      const [, url] = / is ready at (\S+)$/.exec(line) ?? [];
      if (url) return { run, url };
    }
    throw new Error(`It ended without being ready: ${await complaints}`);
  }

  it('has nothing that only developers need', () => {
    for (const name of ['vitest', 'vite', 'electron', 'typescript', 'ajv-keywords']) {
      expect(existsSync(join(root, 'node_modules', name)), name).toBe(false);
    }
    expect(existsSync(join(root, 'test'))).toBe(false);
  });

  it('starts its program by the name that it has there', () => {
    const link = join(folder.path, 'bin/longshore');
    const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
    expect(execFileSync(link, ['--version'], { env: environment, encoding: 'utf8' }).trim()).toBe(version);
  });

  it('is a service beside a database, and an agent that shows its page', async () => {
    const postgres = await emptyTestDatabase();
    try {
      const given = { OWNER_EMAIL: 'mia@example.com', OWNER_PASSWORD: 'correct horse battery' };
      const secret = join(folder.path, 'database-url');
      await writeFile(secret, `${postgres.url}\n`);
      const service = await start('service', given, { DATABASE_URL_FILE: secret, LONGSHORE_OWNER_PASSWORD: given.OWNER_PASSWORD });
      const agent = await start('agent', {}, { LONGSHORE_SERVICE_URL: service.url, LONGSHORE_VAULT_KEY: 'a key for tests alone' });
      // The file's own way to know that it is well, by the port of here.
      const [, program, ...script] = services['service']!.healthcheck!.test;
      const asked = script.map((part) => part.replace('http://127.0.0.1:8080', service.url));
      expect(execFileSync(program!, asked, { env: environment, encoding: 'utf8' })).toBe('');
      expect(() =>
        execFileSync(
          program!,
          script.map((part) => part.replace(':8080', ':1')),
          { env: environment },
        ),
      ).toThrow();
      const page = await fetch(`${agent.url}/`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const session = await fetch(`${agent.url}/api/v1/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: given.OWNER_EMAIL, password: given.OWNER_PASSWORD }),
      });
      expect(session.status).toBe(200);
      for (const { run } of [agent, service]) {
        const ended = once(run, 'exit');
        run.kill('SIGTERM');
        expect(await ended).toEqual([0, null]);
      }
    } finally {
      await postgres.close();
    }
  });
});
