import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { startPrivatePostgres } from '#service/database/private-postgres.ts';
import { postgresUrl } from '#test/support/service/databases/postgres-url.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { cpuSecondsOf } from '../measure/processes.ts';

/**
 * `node bench/scale/webhooks.ts`: how many queued events one service takes from the queue and delivers a second, to a receiver
 * beside it that answers at once. They are queued before it works.
 */

interface Flags {
  readonly events: string;
  readonly folder: string;
}

interface Started {
  readonly url: string;
  readonly teamId: string;
  readonly userToken: string;
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function measure({ events: eventsText, folder }: Flags): Promise<void> {
  const events = Number(eventsText);
  const scratch = await mkdtemp(join(folder, 'longshore-webhooks-'));
  const postgres = await startPrivatePostgres({
    ...{ folder: join(scratch, 'postgres'), secret: Buffer.alloc(32, 1), logFile: join(scratch, 'postgres.log'), log: quiet },
  });
  let received = 0;
  const all = Promise.withResolvers<void>();
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(200).end();
    received += 1;
    if (received === events) all.resolve();
  }).listen(0, '127.0.0.1');
  const children: ChildProcess[] = [];
  function startChild() {
    const child = fork(fileURLToPath(new URL('./load-service.ts', import.meta.url)));
    children.push(child);
    return {
      pid: child.pid!,
      async ask<T>(message: object): Promise<T> {
        const answered = once(child, 'message') as Promise<[Record<string, unknown>]>;
        child.send(message);
        const [answer] = await answered;
        if (typeof answer['error'] === 'string') throw new Error(answer['error']);
        return answer as T;
      },
      async end() {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      },
    };
  }
  try {
    const start = { dataDir: join(scratch, 'service'), databaseUrl: postgresUrl(postgres.connection) };
    const queueing = startChild();
    const { url, teamId, userToken } = await queueing.ask<Started>({ start: { ...start, files: 100, isIdle: true } });
    const body = {
      ...{ active: true, events: ['package.finalized'], method: 'POST', name: 'Load', scope: 'team' },
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    };
    const made = await callAt(url)('POST', `/v1/teams/${teamId}/custom_webhooks`, { headers: { 'x-user-token': userToken }, body });
    if (made.status !== 201) throw new Error(`no webhook: ${made.status} ${JSON.stringify(made.body)}`);
    await queueing.ask({ queue: events, told: true });
    await queueing.end();

    const worker = startChild();
    await worker.ask<Started>({ start: { ...start, files: 0 } });
    // What it does at its start and with the first events is not of them.
    const [first, began] = [received, performance.now()];
    const cpu = { all: cpuSecondsOf(process.pid), worker: cpuSecondsOf(worker.pid), own: process.cpuUsage() };
    await all.promise;
    const seconds = (performance.now() - began) / 1000;
    const own = process.cpuUsage(cpu.own);
    const workerCpu = cpuSecondsOf(worker.pid) - cpu.worker;
    const postgresCpu = cpuSecondsOf(process.pid) - cpu.all - workerCpu - (own.user + own.system) / 1e6;
    const count = events - first;
    const each = (cpuSeconds: number) => ((cpuSeconds / count) * 1000).toFixed(2);
    process.stdout.write(
      `${count} events in ${seconds.toFixed(1)} s: ${(count / seconds).toFixed(0)} a second; CPU-ms each: ${each(workerCpu)} of the service, ${each(postgresCpu)} of PostgreSQL; load ${loadavg()[0]!.toFixed(1)}\n`,
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
    receiver.closeAllConnections();
    receiver.close();
    await postgres.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

await measure(
  new Command('bench/scale/webhooks.ts')
    .option('--events <count>', 'events that wait', '5000')
    .option('--folder <path>', 'where all of it lies', tmpdir())
    .parse()
    .opts<Flags>(),
);
