import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { aroundCalls } from '#providers/wrappers/around.ts';
import { createPartMemory } from '#service/transfers/part-memory.ts';
import { createAdaptiveLimit } from '#service/transfers/yielding/adaptive-limit.ts';
import { watchDelay } from '#service/transfers/yielding/delay-watch.ts';
import { createInMemoryProvider, newCloud } from '#test/support/providers/in-memory-provider.ts';
import { deliveryBench, filesBelow } from '#test/support/service/delivery-bench.ts';
import { storeFiles } from '#test/support/service/stored-files.ts';

it('a delivery has one part under way while people call, and all again when it may', async () => {
  const memory = createPartMemory({ reserved: 3_000, shared: 9_000 });
  const window = { delay: 9, calls: 10 };
  const limit = createAdaptiveLimit(watchDelay({ calls: () => 10, begin() {}, end: () => window }), memory.limit);
  limit.running(1);

  const content = randomBytes(15_000);
  const cloud = newCloud();
  const underWay: (() => void)[] = [];
  let isOpen = false;
  const provider = aroundCalls(createInMemoryProvider(cloud), async (call) => {
    if (call.name === 'putPart' && !isOpen) await new Promise<void>((resolve) => underWay.push(resolve));
    return call.run();
  });
  const delivering = deliveryBench(storeFiles({ 'large.mov': content }), cloud).run({
    provider,
    memory: memory.open(),
    limits: { files: 3, parts: 4 },
  });
  for (let part = 1; part <= 2; part++) {
    await expect.poll(() => underWay.length).toBe(1);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(underWay).toHaveLength(1);
    underWay.shift()!();
  }
  await expect.poll(() => underWay.length).toBe(1);
  limit.running(0);
  await expect.poll(() => underWay.length).toBe(4);
  isOpen = true;
  for (const end of underWay) end();
  await delivering;
  expect(filesBelow(cloud, 'Longshore/Rushes').get('large.mov')?.equals(content)).toBe(true);
});
