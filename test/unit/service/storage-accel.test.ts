import { expect, test } from 'vitest';
import { createLogger } from '#service/log.ts';
import { startStorage } from '#service/roles/storage.ts';

test('nginx before the storage is refused in words where the storage is an S3', async () => {
  const starting = startStorage({
    root: '/nowhere',
    secret: new Uint8Array(32),
    listen: { host: '127.0.0.1', port: 0 },
    storageUrl: 's3://key:secret@127.0.0.1:9/bucket',
    publicUrl: undefined,
    apiPublicUrl: undefined,
    gatewayUrl: 'http://127.0.0.1/storage',
    accel: 'nginx',
    log: createLogger('silent'),
    health: { failed: () => undefined, works: () => undefined },
    onDeath: () => undefined,
  });
  await expect(starting).rejects.toMatchObject({ code: 'option_invalid', message: expect.stringContaining('--storage-accel') });
});
