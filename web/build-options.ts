import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';

/** What all builds into `web/dist` have in common. */
export const buildOptions = {
  outDir: fileURLToPath(new URL('dist', import.meta.url)),
  // A separate folder name, so that the service can serve it next to the API.
  assetsDir: 'assets-web',
  // The service's content security policy is `default-src 'self'`, which forbids `data:` addresses.
  assetsInlineLimit: 0,
  target: 'es2023',
  // The target browsers support module preloading.
  modulePreload: { polyfill: false },
  reportCompressedSize: false,
} as const satisfies UserConfig['build'];
