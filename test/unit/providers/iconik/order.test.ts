import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CloudProvider } from '#providers/ports.ts';
import { openIconikBench } from '#test/support/providers/iconik/bench.ts';
import { newCloud } from '#test/support/providers/in-memory-provider.ts';
import { deliveryBench } from '#test/support/service/delivery-bench.ts';
import { storeFiles } from '#test/support/service/stored-files.ts';

const chunk = 256 * 1024;

test.each([
  ['S3', 3],
  ['GCS', 1],
] as const)('of a delivery to a storage at %s so many parts of a file go at once: %i', async (method, expected) => {
  const bench = await openIconikBench(method);
  const inner = bench.create();
  const reached = Promise.withResolvers<void>();
  let underWay = 0;
  let most = 0;
  const provider: CloudProvider = {
    ...inner,
    putPart: async (request, signal) => {
      most = Math.max(most, ++underWay);
      if (underWay === expected) reached.resolve();
      await reached.promise;
      const part = await inner.putPart(request, signal);
      underWay--;
      return part;
    },
  };
  const bytes = randomBytes(7 * chunk + 5);
  const limits = { memory: 16 * chunk, files: 2, parts: 3 };
  await deliveryBench(storeFiles({ 'large.mov': bytes }), newCloud(), { provider }).run({ limits });
  expect(most).toBe(expected);
  const objects = method === 'S3' ? [...bench.world.objects.values()] : [...bench.world.gcs.objects.values()].map((object) => object.bytes);
  expect(objects.map((object) => object.equals(bytes))).toEqual([true]);
  await bench.close();
});
