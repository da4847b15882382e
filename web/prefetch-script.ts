import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

const entry = fileURLToPath(new URL('portal/prefetch.ts', import.meta.url));

/**
 * Inserts `portal/prefetch.ts` into the upload page before the page's own code. It is built as a separate bundle: chunks
 * shared with the page would be more files to wait for.
 */
export function prefetchScript(): Plugin {
  return {
    name: 'longshore-prefetch-script',
    apply: 'build',
    async buildStart() {
      const built = (await build({
        configFile: false,
        logLevel: 'error',
        build: { write: false, target: 'es2023', rolldownOptions: { input: entry, output: { format: 'iife' } } },
      })) as Rolldown.RolldownOutput;
      this.emitFile({ type: 'asset', name: 'early.js', source: built.output[0].code });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { filename, bundle }) {
        if (!filename.endsWith('portal.html')) return html;
        const early = Object.values(bundle ?? {}).find((one) => one.type === 'asset' && one.names.includes('early.js'));
        if (!early) throw new Error('The build has no early script.');
        return [{ tag: 'script', attrs: { async: true, src: `/${early.fileName}` }, injectTo: 'head' }];
      },
    },
  };
}
