import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { packedEntries, packedFolder } from '#main/packed-packages.ts';
import { packPackages } from '#main/start/pack-packages.ts';

/** Packages that `npm ci` packs into a few files, so that a start loads a thousand modules less. */

beforeAll(() => packPackages());

it.each(Object.entries(packedEntries))('%s holds what %s exports', async (file, specifier) => {
  const [packed, installed] = await Promise.all([import(new URL(`${file}.mjs`, packedFolder()!).href), import(specifier)]);
  expect(Object.keys(packed).sort()).toEqual(Object.keys(installed).sort());
});

it('a program loads them from there, no other file of these packages, and our own modules without Node looking for them', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    const looked = [];
    registerHooks({
      resolve(specifier, context, next) { looked.push(specifier); return next(specifier, context); },
      load(url, context, next) { urls.push(url); return next(url, context); },
    });
    const [packed, own, ...programs] = process.argv.slice(1);
    (await import(packed)).usePackedPackages();
    (await import(own)).useOwnModules();
    looked.length = 0;
    for (const program of programs) await import(program);
    // More than a pipe holds: what is not read yet is lost when the process ends.
    process.stdout.write(JSON.stringify({ urls, looked }), () => process.exit(0));`;
  const at = (path: string) => new URL(`../../${path}`, import.meta.url).href;
  const programs = ['main/packed-packages.ts', 'main/own-modules.ts', 'main/cli/main.ts', 'engine/start.ts', 'service/server.ts'].map(at);
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, ...programs], {
    encoding: 'utf8',
    cwd: fileURLToPath(at('.')),
  });
  const { urls, looked } = JSON.parse(said) as { urls: string[]; looked: string[] };
  expect(urls.filter((url) => /node_modules\/(typebox|kysely)\//.test(url))).toEqual([]);
  expect(urls).toEqual(expect.arrayContaining(['typebox', 'kysely'].map((name) => new URL(`${name}.mjs`, packedFolder()!).href)));
  expect(looked).toContain('fastify');
  expect(looked.filter((specifier) => /^[#.].*\.ts$/.test(specifier))).toEqual([]);
});
