import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { cpuSecondsOf } from '../measure/processes.ts';
import type { Asked, SeededGateway, Started } from './service.ts';

/**
 * What gateways that wait cost the service, with its PostgreSQL, and how soon work reaches one:
 * `node bench/gateways/gateways.ts [--gateways 1000] [--seconds 120] [--wait 60]`.
 */

const { values } = parseArgs({
  options: {
    gateways: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '120' },
    wait: { type: 'string', default: '60' },
  },
});
const [count, seconds, wait] = [values.gateways, values.seconds, values.wait].map(Number) as [number, number, number];
const tasksMeasured = 20;

const folder = mkdtempSync(join(tmpdir(), 'longshore-gateways-'));
const service = fork(new URL('service.ts', import.meta.url), { stdio: 'inherit' });
const agent = new Agent({ connections: count + 10, headersTimeout: 0, bodyTimeout: 0 });
const stop = new AbortController();

async function send<Reply>(child: ChildProcess, message: object): Promise<Reply> {
  const answered = once(child, 'message');
  child.send(message);
  const [reply] = (await answered) as [Reply & { error?: string }];
  if (reply.error !== undefined) throw new Error(reply.error);
  return reply;
}

let polls = 0;
const waiters = new Map<string, () => void>();

async function keepPolling(url: string, gateway: SeededGateway): Promise<void> {
  const mounts = [{ cloud_connection_id: gateway.connectionId, state: 'ok', reason: '' }];
  while (!stop.signal.aborted) {
    const { body, statusCode } = await request(`${url}/v1/storage_gateways/${gateway.id}/poll`, {
      method: 'POST',
      dispatcher: agent,
      signal: stop.signal,
      headers: { 'content-type': 'application/json', 'x-gateway-token': gateway.token },
      body: JSON.stringify({ mounts, wait }),
    });
    const work = (await body.json()) as { tasks: unknown[] };
    if (statusCode !== 200) throw new Error(`${statusCode} ${JSON.stringify(work)}`);
    polls += 1;
    if (work.tasks.length > 0) waiters.get(gateway.id)?.();
  }
}

/** CPU-seconds in each second of a time. */
async function cpuFor(milliseconds: number): Promise<number> {
  const before = cpuSecondsOf(service.pid!);
  await sleep(milliseconds);
  return (cpuSecondsOf(service.pid!) - before) / (milliseconds / 1_000);
}

try {
  const { url, gateways } = await send<Started>(service, { folder, gateways: count } satisfies Asked);
  await sleep(10_000);
  const idle = await cpuFor(30_000);
  const polling = gateways.map((gateway) =>
    keepPolling(url, gateway).catch((error: unknown) => stop.signal.aborted || Promise.reject(error)),
  );
  // All have asked once, and their polls are spread as they came.
  await sleep((wait + 5) * 1_000);
  const before = polls;
  const busy = await cpuFor(seconds * 1_000);
  const answered = polls - before;
  const delays: number[] = [];
  for (const gateway of gateways.slice(0, tasksMeasured)) {
    const reached = new Promise<void>((resolve) => waiters.set(gateway.id, resolve));
    const begun = performance.now();
    service.send({ work: gateway.connectionId });
    await reached;
    delays.push(performance.now() - begun);
  }
  delays.sort((a, b) => a - b);
  const perPoll = ((busy - idle) * seconds * 1_000) / answered;
  console.log(`${count} gateways, wait ${wait} s: ${answered} polls in ${seconds} s`);
  console.log(`CPU at rest ${(idle * 100).toFixed(1)} %, with them ${(busy * 100).toFixed(1)} %: ${perPoll.toFixed(2)} ms a poll`);
  console.log(
    `work reaches an idle gateway in ${delays[Math.floor(delays.length / 2)]!.toFixed(0)} ms, at most ${delays.at(-1)!.toFixed(0)} ms`,
  );
  stop.abort();
  await Promise.all(polling);
} finally {
  stop.abort();
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
