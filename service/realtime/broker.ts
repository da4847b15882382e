import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'mqtt';
import type { PackageEvent } from '#protocol/hosted/package-events.ts';
import type { Log } from '../log.ts';
import type { BrokerAddress } from './broker-url.ts';
import { mergeEvents } from './event.ts';
import type { PackageEvents } from './events.ts';
import type { Subscription } from './watch.ts';

/**
 * Publishes the package changes of this process to `{prefix}/packages/{package_id}`, with the same events as the
 * event streams.
 */
interface Broker {
  /** Sends what is still queued, if that takes only a moment. */
  close(): Promise<void>;
}

/** Maximum packages that are followed, and maximum queued events; above that, the oldest is dropped. */
const maxPackages = 1_000;
/** A package without changes for this long is no longer followed. */
const idleMilliseconds = 60_000;
const maxInFlight = 16;
const reconnectMilliseconds = 5_000;
const flushMilliseconds = 2_000;

/** Connects in the background, and reconnects after a failure. No other code waits for the broker. */
export function publishTo(address: BrokerAddress, events: Pick<PackageEvents, 'listen' | 'subscribe'>, log: Log): Broker {
  const { host, port, tls, user, prefix, qos, ca } = address;
  const hostAndPort = `${host}:${port}`;
  const client = connect({
    protocol: tls ? 'mqtts' : 'mqtt',
    host,
    port,
    ...(user && { username: user.name, password: user.password }),
    ...(ca !== null && { ca }),
    clientId: `longshore-${randomUUID().slice(0, 13)}`,
    clean: true,
    resubscribe: false,
    // Events are queued here, bounded, not in the library.
    queueQoSZero: false,
    reconnectPeriod: reconnectMilliseconds,
    reconnectOnConnackError: true,
    connectTimeout: 10_000,
    keepalive: 30,
  });
  const followed = new Map<string, { readonly subscription: Subscription; readonly idle: NodeJS.Timeout }>();
  const queued = new Map<string, PackageEvent>();
  let inFlight = 0;
  let closed = false;
  /** Logged once per outage. */
  let outageLogged = false;
  let dropped = 0;

  const logOutage = (reason: string): void => {
    if (outageLogged || closed) return;
    outageLogged = true;
    log.warn({ broker: hostAndPort, reason }, 'the MQTT broker cannot be reached; it is tried again');
  };
  client.on('error', (error) => logOutage(error.message));
  client.on('close', () => logOutage('the connection was closed'));
  client.on('connect', () => {
    log.info({ broker: hostAndPort, dropped }, 'connected to the MQTT broker');
    outageLogged = false;
    dropped = 0;
    pump();
  });

  function pump(): void {
    while (client.connected && inFlight < maxInFlight) {
      const [first] = queued;
      if (!first) return;
      const [id, event] = first;
      queued.delete(id);
      inFlight += 1;
      client.publish(`${prefix}/packages/${id}`, JSON.stringify(event), { qos }, (error) => {
        inFlight -= 1;
        if (error && !closed) enqueue(event);
        else pump();
      });
    }
  }

  /** Keeps the newest event of each package: events contain the whole state, so one replaces the earlier ones. */
  function enqueue(event: PackageEvent): void {
    const { package_id: id } = event;
    const other = queued.get(id);
    const [earlier, later] = other && other.at < event.at ? [other, event] : [event, other];
    queued.set(id, named(later ? mergeEvents(earlier, later) : earlier));
    if (queued.size > maxPackages) {
      queued.delete(queued.keys().next().value!);
      dropped += 1;
    }
    pump();
  }

  async function follow(id: string, subscription: Subscription): Promise<void> {
    for (let event = await subscription.next(); event; event = await subscription.next()) {
      enqueue(event);
      if (event.state === 'expired' || event.state === 'archived') subscription.close();
    }
    clearTimeout(followed.get(id)?.idle);
    followed.delete(id);
  }

  events.listen((id) => {
    const known = followed.get(id);
    if (known) known.idle.refresh();
    if (known || closed) return;
    if (followed.size >= maxPackages) {
      dropped += 1;
      return;
    }
    const subscription = events.subscribe(id);
    const idle = setTimeout(() => subscription.close(), idleMilliseconds);
    idle.unref();
    followed.set(id, { subscription, idle });
    void follow(id, subscription);
  });

  return {
    async close() {
      if (closed) return;
      const until = performance.now() + flushMilliseconds;
      while (client.connected && (queued.size > 0 || inFlight > 0) && performance.now() < until) await sleep(20);
      closed = true;
      for (const { subscription, idle } of followed.values()) {
        clearTimeout(idle);
        subscription.close();
      }
      queued.clear();
      await client.endAsync(true);
    },
  };
}

/** A topic has no start, so the first event of a newly followed package states what it is now. */
function named(event: PackageEvent): PackageEvent {
  if (event.type !== 'state' || event.state === 'new') return event;
  return { ...event, type: event.state === 'finalized' ? 'finalized' : 'expired' };
}
