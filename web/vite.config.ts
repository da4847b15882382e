import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { prefetchScript } from './prefetch-script.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The service's public pages, built into web/dist: `index.html` for every `/d/{link_id}`, `portal.html` for every `/p/{subdomain}`, `account.html` for `/invitation` and `/password`, `console.html` for people who are signed in. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react(), prefetchScript()],
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    // A separate folder name, so that the service can serve it next to the API.
    assetsDir: 'assets-web',
    emptyOutDir: true,
    // The service's content security policy is `default-src 'self'`, which forbids `data:` addresses.
    assetsInlineLimit: 0,
    target: 'es2023',
    // The target browsers support module preloading.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: here('index.html'), portal: here('portal.html'), account: here('account.html'), console: here('console.html') },
    },
  },
});
