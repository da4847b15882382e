import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, test, vi } from 'vitest';
import { defaultShares, MemoryBudget } from '#net/memory-budget.ts';
import { withMemory } from '#service/http/zips.ts';

const mebi = 1024 * 1024;
const replyOf = () => ({ raw: new EventEmitter() }) as unknown as FastifyReply;

async function* pieces(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

test('a zip waits for memory, and gets the memory of the slowest reader', async () => {
  const clock = { now: 0 };
  const memory = new MemoryBudget({ bytes: 3 * mebi, shares: defaultShares, now: () => clock.now });
  const cut = vi.fn();
  const slow = memory.reserve({}, cut);
  const slowZip = withMemory(slow, replyOf(), () => pieces('1', '2', '3'));
  expect(String((await slowZip.next()).value)).toBe('1');
  const begun = vi.fn(() => pieces('a', 'b'));
  const quick = memory.reserve({}, () => expect.unreachable());
  const first = withMemory(quick, replyOf(), begun).next();
  expect([slow.reserved, quick.reserved, begun.mock.calls.length]).toEqual([2 * mebi, 0, 0]);
  clock.now += 60_000;
  expect(String((await first).value)).toBe('a');
  expect([cut.mock.calls.length, slow.reserved, quick.reserved]).toEqual([1, 0, 2 * mebi]);
});

test('a reader that disconnects while it waits gets nothing', async () => {
  const memory = new MemoryBudget({ bytes: mebi, shares: defaultShares, now: () => 0 });
  const reply = replyOf();
  const reservation = memory.reserve({}, () => {});
  reply.raw.once('close', () => reservation.end());
  const next = withMemory(reservation, reply, () => expect.unreachable()).next();
  reply.raw.emit('close');
  expect(await next).toEqual({ done: true, value: undefined });
});
