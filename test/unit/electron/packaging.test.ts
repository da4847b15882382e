import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { deepLinkScheme } from '#protocol/deep-link.ts';

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
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };

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

  it('leaves out nothing that the agent imports', () => {
    const left = packaging.files.filter((pattern) => pattern.startsWith('!')).join(' ');
    const used = [
      'fastify',
      '@fastify/static',
      '@fastify/helmet',
      '@fastify/rate-limit',
      'better-sqlite3',
      '@napi-rs/blake-hash',
      'undici',
      'electron-updater',
      'yaml',
      'prom-client',
      'yazl',
    ];
    for (const name of used) {
      expect(manifest.dependencies).toHaveProperty(name);
      expect(left).not.toContain(`node_modules/${name}`);
    }
  });
});
