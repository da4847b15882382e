import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryBudget } from '#net/memory-budget.ts';
import { BufferPool } from '#storage/local/buffer-pool.ts';
import { ReceiveBuffers, smallBufferSize } from '#storage/local/fast/receive-buffers.ts';

const shares = { address: 1, package: 1, upload: 1 };
const immediates = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A sender that fills buffers as soon as it may, beside another one that keeps memory; a disk with two writes at once. */
function setUp(buffersInAll: number) {
  const budget = new MemoryBudget({ bytes: buffersInAll * smallBufferSize, shares, now: () => 0 });
  budget.reserve({}, () => {}).take(smallBufferSize);
  const memory = budget.reserve({}, () => {});
  const writes: (() => void)[] = [];
  const disk = {
    add(_bytes: Buffer, done: () => void): boolean {
      writes.push(done);
      return writes.length < 2;
    },
  };
  const sender = { filled: 0, paused: false };
  const buffers = new ReceiveBuffers({
    writer: disk,
    memory,
    from: { remoteAddress: undefined, brought: 0 },
    firstPool: new BufferPool(smallBufferSize, 8),
    pool: new BufferPool(1024 * 1024, 8),
    onRoom: () => {
      sender.paused = false;
    },
  });
  let buffer = buffers.take();
  return {
    sender,
    writes,
    /** One buffer is full. */
    fill(): void {
      const full = buffer;
      sender.filled += 1;
      const more = buffers.add(full, () => buffers.give(full));
      buffer = buffers.take();
      sender.paused = !more;
    },
    /** The oldest write is done. */
    complete(): void {
      const wasFull = writes.length === 2;
      writes.shift()!();
      if (wasFull) buffers.roomOnDisk();
    },
  };
}

describe('the buffers of a sender', () => {
  test('go on where the disk was full while memory ran short', async () => {
    const { sender, writes, fill, complete } = setUp(2);
    fill();
    fill();
    expect(sender.paused).toBe(true);
    complete();
    await immediates();
    // The memory of the first one is the sender's again; the disk is full with the second and third.
    fill();
    expect(writes).toHaveLength(2);
    complete();
    complete();
    await immediates();
    expect(sender.paused).toBe(false);
  });

  test('never wait for ever, however disk and memory take turns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 5 }), fc.array(fc.constantFrom('fill', 'complete', 'serve')), async (all, steps) => {
        const { sender, writes, fill, complete } = setUp(all);
        for (const step of steps) {
          if (step === 'fill' && !sender.paused) fill();
          if (step === 'complete' && writes.length > 0) complete();
          if (step === 'serve') await immediates();
        }
        while (writes.length > 0) complete();
        await immediates();
        expect(sender.paused).toBe(false);
      }),
    );
  });
});
