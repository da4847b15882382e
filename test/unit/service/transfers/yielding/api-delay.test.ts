import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watchApi } from '#service/transfers/yielding/api-delay.ts';
import { fewCalls } from '#service/transfers/yielding/next-share.ts';

const hold = (milliseconds: number): void => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};

it('counts the calls of the last second, as far as that matters', () => {
  let now = 0;
  const server = new EventEmitter();
  const api = watchApi(server as unknown as Server, () => now);
  expect(api.calls()).toBe(0);
  for (now = 0; now < 900; now += 300) server.emit('request');
  expect(api.calls()).toBe(3);
  now = 1_299;
  expect(api.calls()).toBe(2);
  for (let n = 0; n < 30; n++) server.emit('request');
  expect(api.calls()).toBe(fewCalls);
  now = 2_299;
  expect(api.calls()).toBe(0);
});

it('tells how late the loop was, of the window alone', async () => {
  const api = watchApi(new EventEmitter() as unknown as Server);
  api.begin();
  for (let turn = 0; turn < 10; turn++) {
    await sleep(1);
    hold(40);
  }
  await sleep(1);
  expect(api.end().delay).toBeGreaterThan(20);

  api.begin();
  expect(api.end()).toEqual({ delay: Number.POSITIVE_INFINITY, calls: 0 });
});
