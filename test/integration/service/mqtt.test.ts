import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, type MqttClient } from 'mqtt';
import { Check } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PackageEvent } from '#protocol/hosted/package-events.ts';
import { hasMosquitto, type RunningMosquitto, startMosquitto } from '#test/support/service/mosquitto.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const run = promisify(execFile);

interface Heard {
  readonly topic: string;
  readonly qos: number;
  readonly text: string;
  readonly event: PackageEvent;
}

/** A way to the broker that can be shut. */
async function startGate(to: number) {
  const sockets = new Set<Socket>();
  let shut = false;
  const server = createServer((socket) => {
    if (shut) {
      socket.destroy();
      return;
    }
    const onward = createConnection(to, '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    shut() {
      shut = true;
      cut();
    },
    open() {
      shut = false;
    },
    close() {
      server.close();
      cut();
    },
  };
}

async function listenTo(broker: RunningMosquitto, options: Parameters<typeof connect>[1] = {}) {
  const client: MqttClient = connect({ host: '127.0.0.1', port: broker.port, ...options });
  const heard: Heard[] = [];
  client.on('message', (topic, payload, { qos }) => {
    const text = payload.toString();
    heard.push({ topic, qos, text, event: JSON.parse(text) as PackageEvent });
  });
  client.on('error', () => undefined);
  await client.subscribeAsync('#', { qos: 1 });
  return { client, heard, close: () => client.endAsync(true) };
}

describe.runIf(hasMosquitto())('MQTT', () => {
  let broker: RunningMosquitto;
  let gate: Awaited<ReturnType<typeof startGate>>;
  let t: TestService;
  let listener: Awaited<ReturnType<typeof listenTo>>;
  beforeAll(async () => {
    broker = await startMosquitto();
    listener = await listenTo(broker);
    gate = await startGate(broker.port);
    t = await startTestService({ realtimeUrl: `mqtt://127.0.0.1:${gate.port}`, logLevel: 'silent' });
  });
  afterAll(async () => {
    await t?.close();
    await listener?.close();
    gate?.close();
    await broker?.close();
  });
  const of = (packageId: string) => listener.heard.filter(({ event }) => event.package_id === packageId);

  it("tells a package's progress to its end, and nothing secret", async () => {
    const sender = await newSender(t, { name: 'Rushes', description: 'Hush', recipients: ['a@x.org'], password: 'harbour lights' });
    const id = sender.package.id;
    await sender.send('day 1', 'a.mov', Buffer.from('hello'));
    await eventually('the file', async () => of(id).some(({ event }) => event.files.finalized === 1));
    await sender.finalize();
    await eventually('the end of the upload', async () => of(id).at(-1)?.event.type === 'finalized');
    const [link] = await sender.links();
    await t.call('DELETE', `/v1/packages/${id}`, { headers: sender.token });
    await eventually('the end of the package', async () => of(id).at(-1)?.event.type === 'expired');
    for (const { topic, qos, text, event } of of(id)) {
      expect(topic).toBe(`longshore/packages/${id}`);
      expect(qos).toBe(0);
      expect(Check(PackageEvent, event)).toBe(true);
      for (const secret of [
        link!.download_secret,
        link!.id,
        sender.package.access_token,
        'a@x.org',
        sender.package.sender,
        'Hush',
        'harbour',
      ]) {
        expect(text).not.toContain(secret);
      }
    }
    expect(
      of(id)
        .flatMap(({ event }) => event.changes)
        .at(-1),
    ).toMatchObject({ change: 'finalized', path: 'day 1', name: 'a.mov', size: 5 });
  });

  it('holds nothing up while the broker is away, and tells what became of it when it is back', async () => {
    gate.shut();
    const senders = [await newSender(t), await newSender(t)];
    for (const sender of senders) {
      await sender.send('', 'a.txt', Buffer.from('hello'));
      expect((await sender.finalize()).status).toBe(204);
    }
    expect(senders.flatMap((sender) => of(sender.package.id))).toEqual([]);
    gate.open();
    for (const sender of senders) {
      await eventually('its newest state', async () => of(sender.package.id).at(-1)?.event.type === 'finalized');
      expect(of(sender.package.id).at(-1)?.event).toMatchObject({ files: { total: 1, finalized: 1 }, bytes: { total: 5, finalized: 5 } });
    }
  });
});

describe.runIf(hasMosquitto())('MQTT with TLS and sign-in', () => {
  it('tells under its own prefix, at least once where that is asked for', async () => {
    const folder = await tempFolder();
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ]);
    const user = { name: 'mia', password: 'p@ss/wörd' };
    const broker = await startMosquitto({ user, tls: { key, cert } });
    const signIn = `mia:${encodeURIComponent(user.password)}`;
    const listener = await listenTo(broker, { protocol: 'mqtts', rejectUnauthorized: false, username: user.name, password: user.password });
    const at = `127.0.0.1:${broker.port}/films/harbour?qos=1`;
    // One that does not trust the broker: nothing is told, and the service works.
    const wary = await startTestService({ realtimeUrl: `mqtts://${signIn}@${at}`, logLevel: 'silent' });
    const unheard = await newSender(wary);
    await unheard.send('', 'a.txt', Buffer.from('hello'));
    await wary.close();
    const t = await startTestService({ realtimeUrl: `mqtts://${signIn}@${at}&ca=${encodeURIComponent(cert)}` });
    try {
      const sender = await newSender(t);
      await sender.send('', 'a.txt', Buffer.from('hello'));
      await sender.finalize();
      await eventually('it is told', async () => listener.heard.at(-1)?.event.type === 'finalized');
      for (const { topic, qos } of listener.heard) {
        expect(topic).toBe(`films/harbour/packages/${sender.package.id}`);
        expect(qos).toBe(1);
      }
    } finally {
      await t.close();
      await listener.close();
      await broker.close();
      await folder.remove();
    }
  });
});
