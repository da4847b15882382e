import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watchApi } from '#service/transfers/yielding/api-delay.ts';

const hold = (milliseconds: number): void => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};

it('counts calls and tells how late the loop was, of the window alone', async () => {
  const server = new EventEmitter();
  const api = watchApi(server as unknown as Server);
  server.emit('request');
  api.begin();
  server.emit('request');
  server.emit('request');
  for (let turn = 0; turn < 10; turn++) {
    await sleep(1);
    hold(40);
  }
  await sleep(1);
  const { delay, calls } = api.end();
  expect(calls).toBe(2);
  expect(delay).toBeGreaterThan(20);

  api.begin();
  expect(api.end()).toEqual({ delay: Number.POSITIVE_INFINITY, calls: 0 });
});
