import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { buildOptions } from './build-options.ts';
import { inlineLimits } from './inline-limits.ts';
import { prefetchScript } from './prefetch-script.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The service's public pages, built into web/dist: `index.html` for every `/d/{link_id}`, `portal.html` for every `/p/{subdomain}`, `account.html` for `/invitation` and `/password`. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [inlineLimits(), react(), prefetchScript({ page: 'portal.html', entry: 'portal/prefetch.ts' })],
  worker: { format: 'es', plugins: () => [inlineLimits()] },
  build: {
    ...buildOptions,
    emptyOutDir: true,
    rolldownOptions: { input: { index: here('index.html'), portal: here('portal.html'), account: here('account.html') } },
  },
});
