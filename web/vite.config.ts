import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service's public page: built into web/dist, served for every `/d/{link_id}`. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    // A folder of its own, so that the service can serve it beside the API.
    assetsDir: 'assets-web',
    emptyOutDir: true,
    // The service's policy is `default-src 'self'`: no data: addresses.
    assetsInlineLimit: 0,
    target: 'es2023',
    reportCompressedSize: false,
  },
});
