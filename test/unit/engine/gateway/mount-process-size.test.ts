import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Prints what a process loads from node_modules when it begins as a mount's. */
const script = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({ load(url, context, next) { const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? []; if (name) packages.add(name); return next(url, context); } });
await import(process.argv[1]);
console.log(JSON.stringify([...packages]));
process.exit(0);
`;

test('the process of a mount at rest loads no package, as there is one for each mount', () => {
  const child = new URL('../../../../engine/gateway/mount-process/child.ts', import.meta.url).href;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, child], { encoding: 'utf8', env: process.env });
  expect(JSON.parse(said)).toEqual([]);
});
