import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { discard, serve } from './connection.ts';
import { createPlan, describeFault, type Fault, type Plan } from './plan.ts';
import { createTraffic, type Traffic } from './traffic.ts';

/** Stands before a service or a storage. Counts what is confirmed, slows it down, and makes the faults that are planned. */
export interface FaultProxy extends Pick<Traffic, 'passages' | 'requests' | 'bytes' | 'moment' | 'passed' | 'seen'> {
  readonly url: string;
  /** `http://…`, where connections go; set once that is up. */
  upstream: string;
  /** Bytes a second over all connections; 0 is unlimited. */
  rate: number;
  /** Which of the connections that come take all that is sent and bring nothing anywhere: none, every second one, or all. */
  stalling: 'none' | 'half' | 'all';
  /** How many have done so by now. */
  readonly stalledConnections: number;
  /** While it is set, every connection is refused, and those that were there are gone. */
  down: boolean;
  /** Resolves when so many more have been refused. */
  refused(count: number): Promise<void>;
  plan: Plan['add'];
  /** Resolves when the next planned stall has begun. */
  nextStall(): Promise<void>;
  /** Breaks every connection. */
  cut(): void;
  /**
   * Throws unless every planned fault has happened and every stalled client has given up; forgets the plan either
   * way. For `afterEach`, while clients that may wait are still there.
   */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param goneWithin milliseconds in which a client that has given up must be seen to have; they pass only where one has not
 */
export async function startFaultProxy({ goneWithin = 30_000 } = {}): Promise<FaultProxy> {
  const plan = createPlan();
  const traffic = createTraffic();
  const sockets = new Set<Socket>();
  const stalled = new Map<Socket, Fault>();
  const happened = new EventEmitter();
  let down = false;
  let accepted = 0;
  let stalledConnections = 0;

  const opened = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => {});
    if (down) {
      client.resetAndDestroy();
      happened.emit('refusal');
      return;
    }
    opened(client);
    if (proxy.stalling === 'all' || (proxy.stalling === 'half' && accepted++ % 2 === 0)) {
      stalledConnections++;
      client.resume();
      return;
    }
    void serve(client, {
      plan,
      traffic,
      upstream: new URL(proxy.upstream),
      opened,
      stalled(socket, fault) {
        stalled.set(socket, fault);
        happened.emit('stall');
      },
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream: '',
    passages: traffic.passages,
    requests: traffic.requests,
    bytes: traffic.bytes,
    moment: traffic.moment,
    passed: traffic.passed,
    seen: traffic.seen,
    get rate() {
      return traffic.rate;
    },
    set rate(rate) {
      traffic.rate = rate;
    },
    stalling: 'none',
    get stalledConnections() {
      return stalledConnections;
    },
    get down() {
      return down;
    },
    set down(isDown) {
      down = isDown;
      if (isDown) cut();
    },
    async refused(count) {
      for (let left = count; left > 0; left--) await once(happened, 'refusal');
    },
    plan: plan.add,
    async nextStall() {
      await once(happened, 'stall');
    },
    cut,
    async verify() {
      const waiting = [...stalled];
      stalled.clear();
      const gone = await Promise.all(waiting.map(([client]) => hasGone(client, goneWithin)));
      const patient = waiting.filter((_, index) => !gone[index]);
      const problems = [
        ...plan.end().map((fault) => `It never happened: ${fault}.`),
        ...patient.map(([, fault]) => `It was waited for, in place of being given up: ${describeFault(fault)}.`),
      ];
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

async function hasGone(client: Socket, goneWithin: number): Promise<boolean> {
  if (client.destroyed) return true;
  discard(client);
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), goneWithin);
  try {
    await once(client, 'close', { signal: patience.signal });
    return true;
  } catch {
    client.destroy();
    return false;
  } finally {
    clearTimeout(timer);
  }
}
