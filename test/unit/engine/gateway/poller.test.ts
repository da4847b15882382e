import { beforeEach, expect, test } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import { type Poller, startPoller } from '#engine/gateway/poller.ts';
import { silentLog } from '#engine/ports.ts';
import type { GatewayWork, MountReport } from '#protocol/hosted/gateways.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { type ScriptedHosted, scriptedHosted } from '#test/support/engine/scripted-hosted.ts';

/** A gateway's long poll, against a service that the test plays. */

const nothing: GatewayWork = { tasks: [], cancelled: [] };
const gone = new ServiceError('credential_invalid', { header: 'X-Gateway-Token' }, { answered: 401 });
const away = new ServiceError('unavailable', {}, { answered: 503 });

let clock: FakeClock;
let service: ScriptedHosted;
let mounts: MountReport[];
let renew: string[];
let partial: string[];
let received: GatewayWork[];
let refused: (string | null)[];
let poller: Poller;

beforeEach(() => {
  clock = createFakeClock();
  service = scriptedHosted();
  mounts = [{ cloud_connection_id: 'nas', state: 'ok', reason: '' }];
  renew = [];
  partial = [];
  received = [];
  refused = [];
  poller = startPoller({
    gatewayId: 'gateway',
    client: service.client,
    clock,
    random: () => 0,
    log: silentLog,
    mounts: () => mounts,
    renew: () => renew,
    partial: () => partial,
    received: (work) => void received.push(work),
    refused: (why) => void refused.push(why),
  });
});

const asked = () => service.calls.map(({ body }) => body);

test('asks again as soon as it is answered, and more often while it works', async () => {
  expect(asked()).toEqual([{ mounts, wait: 55, renew: [] }]);
  renew = ['task'];
  service.calls[0]!.answer(nothing);
  await service.settle();
  expect(asked()[1]).toEqual({ mounts, wait: 6, renew: ['task'] });
  expect(received).toEqual([nothing]);
  expect(clock.pending).toBe(0);
});

test('what has changed replaces the poll that waits, and what has not does not', async () => {
  poller.poke();
  await service.settle();
  expect(service.calls).toHaveLength(1);
  mounts = [{ cloud_connection_id: 'nas', state: 'offline', reason: 'It is full.' }];
  poller.poke();
  await service.settle();
  expect(service.calls[0]!.signal?.aborted).toBe(true);
  expect(asked()[1]).toMatchObject({ mounts });
  partial = ['transfer'];
  poller.poke();
  await service.settle();
  expect(asked()[2]).toMatchObject({ mounts, partial });
});

test('a service that is away is asked again after pauses that grow', async () => {
  for (const pause of [500, 1_000, 2_000]) {
    service.calls.at(-1)!.refuse(away);
    await service.settle();
    const before = service.calls.length;
    clock.advance(pause - 1);
    await service.settle();
    expect(service.calls).toHaveLength(before);
    clock.advance(1);
    await service.settle();
    expect(service.calls).toHaveLength(before + 1);
  }
  expect(refused).toEqual([]);
});

test('a service that does not know it is asked rarely, and at once when something changes; then all is well again', async () => {
  service.calls[0]!.refuse(gone);
  await service.settle();
  expect(refused).toEqual([expect.any(String)]);
  clock.advance(299_999);
  await service.settle();
  expect(service.calls).toHaveLength(1);
  mounts = [];
  poller.poke();
  await service.settle();
  service.calls[1]!.answer(nothing);
  await service.settle();
  expect(refused.at(-1)).toBeNull();
});

test('one that ends says that its mounts go', async () => {
  const closed = poller.close();
  await service.settle();
  expect(asked()[1]).toEqual({
    mounts: [{ cloud_connection_id: 'nas', state: 'offline', reason: 'The agent has stopped.' }],
    wait: 0,
    renew: [],
  });
  service.calls[1]!.refuse(away);
  await closed;
  expect(service.calls).toHaveLength(2);
});
