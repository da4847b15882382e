import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { licencesPlugin } from './build/licences.ts';
import { routeTablePlugin } from './build/route-table.ts';

/** The agent's GUI: built into renderer/dist, served by the agent at `/`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [routeTablePlugin(), react(), licencesPlugin(fileURLToPath(new URL('..', import.meta.url)))],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The agent's policy is `default-src 'self'`: no data: addresses.
    assetsInlineLimit: 0,
    target: 'es2023',
    reportCompressedSize: false,
  },
});
