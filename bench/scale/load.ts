import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { postgresUrl } from '#test/support/service/databases/postgres-url.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { cpuSecondsOf, ownBytesOf } from '../measure/processes.ts';
import type { Sample } from './load-service.ts';

/**
 * `node bench/scale/load.ts`: a service with many rows, many open event streams and many events for webhooks, while its API is
 * called at a steady rate. Calls are timed from when they were due, so that a slow answer counts for all that wait behind it.
 */

interface Flags {
  readonly files: string;
  readonly senders: string;
  readonly webhooks: string;
  readonly calls: string;
  readonly seconds: string;
  readonly webhookSeconds?: string;
  readonly folder: string;
  readonly keep?: boolean;
}

/** A sample, with what was the processes' own memory then: the service's with its children, and PostgreSQL's without what they share. */
interface Look extends Sample {
  readonly service: number;
  readonly postgres: number;
  /** Seconds since the start. */
  readonly at: number;
  readonly load: number;
}

interface Started {
  readonly url: string;
  readonly teamId: string;
  readonly userToken: string;
  readonly packages: readonly { readonly id: string; readonly token: string }[];
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const sampleSeconds = 5;
const patienceMilliseconds = 30_000;
/** One address without an account has a share of the streams (service/realtime/stream-shares.ts). */
const senderAddresses = 16;

async function load(flags: Flags): Promise<void> {
  const [files, senders, webhooks, calls, seconds] = [flags.files, flags.senders, flags.webhooks, flags.calls, flags.seconds].map(
    Number,
  ) as [number, number, number, number, number];
  const webhookSeconds = flags.webhookSeconds === undefined ? seconds : Number(flags.webhookSeconds);
  const scratch = flags.keep ? join(flags.folder, 'longshore-load') : await mkdtemp(join(flags.folder, 'longshore-load-'));
  await mkdir(scratch, { recursive: true });
  const postgres = await startPrivatePostgres({
    ...{ folder: join(scratch, 'postgres'), secret: Buffer.alloc(32, 1), logFile: join(scratch, 'postgres.log'), log: quiet },
  });
  // As `npm run service` and the units start it.
  const child = fork(fileURLToPath(new URL('./load-service.ts', import.meta.url)), { execArgv: ['--max-semi-space-size=8'] });
  const answers = (): Promise<[Record<string, unknown>]> => once(child, 'message') as Promise<[Record<string, unknown>]>;
  async function ask<T>(message: object): Promise<T> {
    const answered = answers();
    child.send(message);
    const [answer] = await answered;
    if (typeof answer['error'] === 'string') throw new Error(answer['error']);
    return answer as T;
  }
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    request.resume();
    response.writeHead(200).end();
  }).listen(0, '127.0.0.1');
  const streams = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  try {
    const began = performance.now();
    const { url, teamId, userToken, packages } = await ask<Started>({
      start: { dataDir: join(scratch, 'service'), databaseUrl: postgresUrl(postgres.connection), files },
    });
    say(`\nready after ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const call = callAt(url);
    const headers = { 'x-user-token': userToken };
    if (webhooks > 0) {
      const body = {
        active: true,
        events: ['package.finalized'],
        method: 'POST',
        name: 'Load',
        scope: 'team',
        url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      };
      const made = await call('POST', `/v1/teams/${teamId}/custom_webhooks`, { headers, body });
      if (made.status !== 201) throw new Error(`no webhook: ${made.status} ${JSON.stringify(made.body)}`);
    }

    const open: { readonly id: string; readonly token: string }[] = [];
    let events = 0;
    for (let n = 0; n < senders; n += 1) {
      const body = { name: `Sender ${n}`, description: '', recipients: [] };
      const made = await call<{ id: string }>('POST', `/v1/teams/${teamId}/packages`, { headers, body });
      if (made.status !== 201) throw new Error(`no package: ${made.status} ${JSON.stringify(made.body)}`);
      const { tokens } = await ask<{ readonly tokens: readonly string[] }>({ sendersOf: [made.body.id] });
      open.push({ id: made.body.id, token: tokens[0]! });
      await new Promise<void>((resolve, reject) => {
        get(
          `${url}/v1/packages/${made.body.id}/events`,
          { agent: streams, localAddress: `127.0.0.${2 + (n % senderAddresses)}`, headers: { 'x-package-token': tokens[0]! } },
          (response) => {
            if (response.statusCode !== 200) return reject(new Error(`no stream: ${response.statusCode}`));
            response.on('error', () => undefined);
            response.on('data', (piece: Buffer) => (events += piece.toString('latin1').split('\ndata: ').length - 1));
            resolve();
          },
        ).on('error', reject);
      });
    }
    say(`${senders} event streams are open`);

    const kinds: Readonly<Record<string, (n: number) => Promise<{ readonly status: number }>>> = {
      'list a Team’s packages': () => call('GET', `/v1.1/teams/${teamId}/packages?limit=50`, { headers }),
      'list the files of one': (n) => {
        const { id, token } = packages[(n * 7_919) % packages.length]!;
        return call('GET', `/v1/packages/${id}/files`, { headers: { 'x-package-token': token } });
      },
      'create a package': (n) =>
        call('POST', `/v1/teams/${teamId}/packages`, { headers, body: { name: `Call ${n}`, description: '', recipients: [] } }),
      ...(senders > 0 && {
        'create a file, whose stream hears of it': (n: number) => {
          const { id, token } = open[(n * 7_919) % open.length]!;
          const body = { kind: 'file', path: '', name: `${n}.mov`, size: 1_000, last_modified: '2026-11-20T18:04:11.000Z' };
          return call('POST', `/v1/packages/${id}/files`, { headers: { 'x-package-token': token }, body });
        },
      }),
    };
    const names = Object.keys(kinds);
    const times = new Map<string, Timed[]>(names.map((name) => [name, []]));
    const failed = new Map<string, number>();
    const samples: Look[] = [];
    const pending = new Set<Promise<void>>();
    const cpu = cpuSecondsOf(child.pid!);
    /** PostgreSQL's processes descend from this one, as the service's do. */
    const memory = () => {
      const service = ownBytesOf(child.pid!);
      return { service, postgres: ownBytesOf(process.pid) - service - ownBytesOf(process.pid, { alone: true }) };
    };
    const started = performance.now();
    let queueing: Promise<unknown> = Promise.resolve();
    let [fired, queued, nextSample, answered] = [0, 0, 0, 0];
    for (let at = 0; at < seconds * 1000; at = performance.now() - started) {
      for (; fired < (at / 1000) * calls; fired += 1) {
        const name = names[fired % names.length]!;
        const due = started + (fired / calls) * 1000;
        const one: Promise<void> = kinds[name]!(fired)
          .then(
            ({ status }) => void (status >= 400 ? failed.set(`${name} ${status}`, (failed.get(`${name} ${status}`) ?? 0) + 1) : answered++),
            (error: Error) => void failed.set(error.message, (failed.get(error.message) ?? 0) + 1),
          )
          .then(() => void times.get(name)!.push({ at: (due - started) / 1000, took: performance.now() - due }))
          .finally(() => pending.delete(one));
        pending.add(one);
      }
      const due = Math.min(at / 1000, webhookSeconds) * webhooks - queued;
      if (due >= webhooks / 10) {
        const count = Math.floor(due);
        queued += count;
        child.send({ queue: count });
      }
      if (at / 1000 >= nextSample) {
        nextSample += sampleSeconds;
        queueing = queueing
          .then(() => ask<Sample>({ sample: true }))
          .then(
            (one) => void samples.push({ ...one, ...memory(), at: at / 1000, load: loadavg()[0]! }),
            (error: Error) => void failed.set(`sample: ${error.message}`, (failed.get(`sample: ${error.message}`) ?? 0) + 1),
          );
      }
      await sleep(5);
    }
    const took = (performance.now() - started) / 1000;
    // Where calls come faster than they are answered, they would be waited for as long again.
    await Promise.race([Promise.all([...pending, queueing]), sleep(patienceMilliseconds)]);
    if (pending.size > 0) failed.set(`not answered ${patienceMilliseconds / 1000} s after the last was made`, pending.size);
    report({ times, failed, samples, took, cpu: cpuSecondsOf(child.pid!) - cpu, received, events, answered, flags });
  } finally {
    streams.destroy();
    receiver.closeAllConnections();
    receiver.close();
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await postgres.close();
    if (!flags.keep) await rm(scratch, { recursive: true, force: true });
  }
}

/** A call: when it was due, in seconds, and the milliseconds from then to its answer. */
interface Timed {
  readonly at: number;
  readonly took: number;
}

interface Report {
  readonly times: ReadonlyMap<string, readonly Timed[]>;
  readonly failed: ReadonlyMap<string, number>;
  readonly samples: readonly Look[];
  readonly took: number;
  readonly cpu: number;
  readonly received: number;
  readonly events: number;
  readonly answered: number;
  readonly flags: Flags;
}

const slices = 12;

function report({ times, failed, samples, took, cpu, received, events, answered, flags }: Report): void {
  const out = (text: string): void => void process.stdout.write(`${text}\n`);
  out(`${JSON.stringify(flags)}, load ${loadavg()[0]!.toFixed(1)}`);
  out('\n| call | times | p50, ms | p95, ms | p99, ms | longest, ms |\n|---|---|---|---|---|---|');
  const row = (name: string, timed: readonly Timed[]) => {
    const all = timed.map((one) => one.took).sort((a, b) => a - b);
    const at = (share: number) => (all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0).toFixed(0);
    return `| ${name} | ${all.length} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} | ${at(1)} |`;
  };
  for (const [name, all] of times) out(row(name, all));
  const all = [...times.values()].flat();
  out(row('all', all));
  const most = (some: readonly Look[], field: keyof Look) => some.reduce((most, one) => Math.max(most, one[field]), 0);
  const MB = (bytes: number) => (bytes / 1e6).toFixed(0);
  out(
    '\n| seconds | calls | p50, ms | p95, ms | p99, ms | longest, ms | heap, MB | rss | own memory: service with children | PostgreSQL | jobs due | oldest, s | event loop late, ms | load |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|',
  );
  for (let n = 0; n < slices; n += 1) {
    const [from, to] = [(took / slices) * n, (took / slices) * (n + 1)];
    const within = ({ at }: { readonly at: number }) => at >= from && at < to;
    const some = samples.filter(within);
    const bytes = (['heap', 'rss', 'service', 'postgres'] as const).map((field) => MB(most(some, field)));
    const rest = [most(some, 'waiting'), most(some, 'oldest').toFixed(1), most(some, 'late').toFixed(0), most(some, 'load').toFixed(1)];
    out(`${row(`${from.toFixed(0)} to ${to.toFixed(0)}`, all.filter(within))} ${[...bytes, ...rest].join(' | ')} |`);
  }
  out(`\nService: ${(cpu / took).toFixed(2)} CPU, ${((cpu / Math.max(1, answered)) * 1000).toFixed(1)} CPU-ms a call (with all else).`);
  out(`Webhooks: ${received} received, ${(received / took).toFixed(0)} a second; at the end ${samples.at(-1)?.waiting} jobs waited.`);
  out(`Event streams: ${events} events.`);
  for (const [what, count] of failed) out(`FAILED ${count} × ${what}`);
}

await load(
  new Command('bench/scale/load.ts')
    .option('--files <count>', 'rows in files; a tenth as many packages', '10000000')
    .option('--senders <count>', 'open event streams, each of a package', '2000')
    .option('--webhooks <count>', 'events a second for one webhook', '1000')
    .option('--calls <count>', 'calls of the API a second', '100')
    .option('--seconds <count>', 'for how long', '3600')
    .option('--webhook-seconds <count>', 'for how long of that events are queued; by default for all of it')
    .option('--keep', 'leaves its rows there, and takes those that a run before has left')
    .option('--folder <path>', 'where all of it lies', tmpdir())
    .parse()
    .opts<Flags>(),
);
