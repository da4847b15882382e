import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { buildOptions } from '../build-options.ts';
import { inlineLimits } from '../inline-limits.ts';
import { prefetchScript } from '../prefetch-script.ts';

const web = fileURLToPath(new URL('..', import.meta.url));

/**
 * `console.html`, for people who are signed in, beside the public pages in web/dist. By itself: with what they share in files
 * of its own a visitor of a public page would load more of them, and more bytes.
 */
export default defineConfig({
  root: web,
  base: '/',
  plugins: [
    inlineLimits(),
    react(),
    prefetchScript({
      page: 'console.html',
      entry: 'console/prefetch.ts',
      inline: true,
      parts: { home: 'console/home/home.tsx', 'sign-in': 'console/sign-in/sign-in.tsx' },
    }),
  ],
  worker: { format: 'es', plugins: () => [inlineLimits()] },
  build: { ...buildOptions, emptyOutDir: false, rolldownOptions: { input: { console: `${web}console.html` } } },
});
