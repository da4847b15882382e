import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { useOwnModules } from '#main/own-modules.ts';

/**
 * Lets Node load a page's component and what it imports: Node strips types by itself, but knows neither JSX nor pictures
 * and styles. The compiler is loaded only when a component is met.
 */
const require = createRequire(import.meta.url);

registerHooks({
  load(url, context, nextLoad) {
    if (url.endsWith('.tsx')) return { format: 'module', source: withoutJsx(fileURLToPath(url)), shortCircuit: true };
    if (url.endsWith('.css')) return { format: 'module', source: '', shortCircuit: true };
    // As in a page, a picture is its address.
    if (/\.(svg|png)$/.test(url)) return { format: 'module', source: `export default ${JSON.stringify(url)}`, shortCircuit: true };
    return nextLoad(url, context);
  },
});

// For workers, and for the threads that they start.
useOwnModules();

function withoutJsx(path: string): string {
  const { transformSync } = require('@swc/core') as typeof import('@swc/core');
  return transformSync(readFileSync(path, 'utf8'), {
    filename: path,
    configFile: false,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { target: 'es2024', parser: { syntax: 'typescript', tsx: true }, transform: { react: { runtime: 'automatic' } } },
  }).code;
}
