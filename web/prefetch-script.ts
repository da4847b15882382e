import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { inlineLimits } from './inline-limits.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

interface Prefetch {
  /** The page that gets the script, such as `portal.html`. */
  readonly page: string;
  /** The script's source. */
  readonly entry: string;
  /** Modules whose files the script may load, by the names of its element's data attributes. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Puts it into the page itself, which saves a round trip; whoever serves the page names its digest in the policy. */
  readonly inline?: boolean;
}

/**
 * Inserts a script into a page before the page's own code. It is built as a separate bundle: chunks shared with the page
 * would be more files to wait for.
 */
export function prefetchScript({ page, entry, parts = {}, inline = false }: Prefetch): Plugin {
  let code = '';
  return {
    name: 'longshore-prefetch-script',
    apply: 'build',
    async buildStart() {
      const built = (await build({
        configFile: false,
        logLevel: 'error',
        plugins: [inlineLimits()],
        build: { write: false, target: 'es2023', rolldownOptions: { input: here(entry), output: { format: 'iife' } } },
      })) as Rolldown.RolldownOutput;
      code = built.output[0].code.trim();
      if (!inline) this.emitFile({ type: 'asset', name: 'early.js', source: code });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { filename, bundle = {} }) {
        if (!filename.endsWith(page)) return html;
        const files = Object.fromEntries(
          Object.entries(parts).map(([name, path]) => [`data-${name}`, filesOf(bundle, path, html).join(' ')]),
        );
        // Before the styles: a script that stands after them waits until they have come.
        if (inline) return [{ tag: 'script', attrs: files, children: code, injectTo: 'head-prepend' }];
        const early = Object.values(bundle).find((one) => one.type === 'asset' && one.names.includes('early.js'));
        if (!early) throw new Error('The build has no early script.');
        return [{ tag: 'script', attrs: { async: true, src: `/${early.fileName}`, ...files }, injectTo: 'head' }];
      },
    },
  };
}

/** Addresses of what a module needs that is loaded at its first use: but for what the page loads anyway. */
function filesOf(bundle: Rolldown.OutputBundle, path: string, html: string): readonly string[] {
  const module = here(path);
  const chunk = Object.values(bundle).find((one) => one.type === 'chunk' && one.facadeModuleId === module);
  if (chunk?.type !== 'chunk') throw new Error(`The build has no file of its own for ${path}.`);
  const found = new Set<string>();
  const take = (fileName: string): void => {
    const one = bundle[fileName];
    if (one?.type !== 'chunk' || found.has(fileName) || html.includes(`/${fileName}"`)) return;
    found.add(fileName);
    for (const style of one.viteMetadata?.importedCss ?? []) if (!html.includes(`/${style}"`)) found.add(style);
    one.imports.forEach(take);
  };
  take(chunk.fileName);
  return [...found].map((fileName) => `/${fileName}`);
}
