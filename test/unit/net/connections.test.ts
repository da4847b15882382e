import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { addressKeyOf } from '#net/address-key.ts';
import { Connections, type ConnectionsOptions } from '#net/connections.ts';

const endings: (() => unknown)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

class TestSocket extends EventEmitter {
  readonly remoteAddress: string;
  bytesRead = 0;
  bytesWritten = 0;
  destroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function setUp(options: Partial<ConnectionsOptions>) {
  const clock = { now: 0 };
  const told: unknown[] = [];
  const connections = new Connections({
    most: 1_000,
    mostOfOne: 1_000,
    findClientAddress: addressKeyOf,
    now: () => clock.now,
    onTooMany: (facts) => told.push(facts),
    ...options,
  });
  endings.push(() => connections.close());
  const connect = (address: string) => {
    const socket = new TestSocket(address);
    return { socket, accepted: connections.accept(socket as unknown as Socket) };
  };
  return { connections, connect, clock, told };
}

test('each address has a limit of connections of its own', () => {
  const { connect, connections, told, clock } = setUp({ mostOfOne: 3 });
  const three = [1, 2, 3].map(() => connect('192.0.2.1'));
  expect(three.every(({ accepted }) => accepted)).toBe(true);
  const fourth = connect('192.0.2.1');
  expect([fourth.accepted, fourth.socket.destroyed, connect('192.0.2.2').accepted]).toEqual([false, true, true]);
  connect('::ffff:192.0.2.1');
  expect(told).toEqual([{ peer: '192.0.2.1', connections: 3 }]);
  clock.now = 60_000 - 1;
  three[0]!.socket.destroy();
  expect([connect('192.0.2.1').accepted, connections.size]).toEqual([true, 4]);
});

test('the slowest of an address is cut for a new one, once it has been slow for half a minute', () => {
  const { connect, clock, connections } = setUp({ mostOfOne: 3 });
  const elsewhere = connect('192.0.2.2').socket;
  const [quick, slow, slower] = [1, 2, 3].map(() => connect('192.0.2.1').socket) as [TestSocket, TestSocket, TestSocket];
  for (let second = 1; second <= 30; second++) {
    clock.now = second * 1_000;
    quick.bytesRead += 70_000;
    slow.bytesWritten += 2_000;
    slower.bytesRead += 1_000;
    if (second === 29) expect(connect('192.0.2.1').accepted).toBe(false);
  }
  expect(connect('192.0.2.1').accepted).toBe(true);
  expect([elsewhere, quick, slow, slower].map(({ destroyed }) => destroyed)).toEqual([false, false, false, true]);
  expect(connect('192.0.2.1').accepted).toBe(true);
  expect([slow.destroyed, connect('192.0.2.1').accepted, connections.size]).toEqual([true, false, 4]);
});

test('above the total limit the slowest is closed, except connections that wait for our answer', () => {
  const served = new Set<unknown>();
  const { connect, clock } = setUp({ most: 2, isServed: (socket) => served.has(socket) });
  const first = connect('192.0.2.1').socket;
  const second = connect('192.0.2.2').socket;
  second.bytesRead = 100;
  served.add(first);
  clock.now = 30_000;
  expect([connect('192.0.2.3').accepted, first.destroyed, second.destroyed]).toEqual([true, false, true]);
});

test('a connection that continues as another socket counts until that one closes', () => {
  const { connect, connections } = setUp({ mostOfOne: 1 });
  const first = connect('192.0.2.1').socket;
  const second = new TestSocket('192.0.2.1');
  connections.replaced(first as unknown as Socket, second as unknown as Socket);
  first.destroy();
  expect([connect('192.0.2.1').accepted, connections.size]).toEqual([false, 1]);
  second.destroy();
  expect([connect('192.0.2.1').accepted, connections.size]).toEqual([true, 1]);
});
