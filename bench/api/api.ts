import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { row } from '../report/words.ts';
import { keyFor, listQueries, memberQueries, type Target, uploadCalls } from './calls.ts';
import { drive, type Figures } from './drive.ts';
import type { Asked } from './service.ts';

/** The hosted API's own speed: calls per second beside an empty Fastify route, and lists of a million packages. */
export interface ApiBenchOptions {
  /** A folder of its own. */
  readonly folder: string;
  readonly quick: boolean;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

const callsAtOnce = 16;
const listsAtOnce = 2;

/** @returns the tables as Markdown */
export async function apiBench({ folder, quick, signal, say }: ApiBenchOptions): Promise<string> {
  const packages = quick ? 2_000 : 1_000_000;
  const requests = quick ? 20 : 3_000;
  const perList = quick ? 5 : 200;
  const loadBefore = loadavg()[0]!;
  // As root the service runs its PostgreSQL as another user, who must be able to pass through.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  const children: ChildProcess[] = [];
  try {
    const yardstick = await startChild<{ url: string }>(children, { start: 'yardstick' }, signal);
    say(`API: making ${packages.toLocaleString('en')} packages.`);
    const target = await startChild<Target>(children, { start: 'service', folder, packages }, signal);
    const apiKey = await keyFor(target);
    say('API: measuring calls.');
    const empty = () => drive({ url: yardstick.url, requests, atOnce: callsAtOnce, call: () => ({ method: 'GET', path: '/' }), signal });
    const before = await empty();
    const calls: [string, Figures][] = [];
    for (const { name, call, requests: many } of await uploadCalls(target, apiKey, requests)) {
      calls.push([name, await drive({ url: target.url, requests: many, atOnce: callsAtOnce, call, signal })]);
    }
    const after = await empty();
    say('API: measuring lists.');
    const lists: [string, number, Figures][] = [];
    const viewers = [
      [listQueries(target), { 'x-api-key': apiKey }],
      [memberQueries(target), { 'x-user-token': target.memberToken }],
    ] as const;
    for (const [queries, headers] of viewers) {
      for (const [name, query] of queries) {
        for (const page of [1, 1_000]) {
          const path = `/v1.1/teams/${target.teamId}/packages?page=${page}&${encodeURI(query)}`;
          const call = () => ({ method: 'GET', path, headers }) as const;
          lists.push([name, page, await drive({ url: target.url, requests: perList, atOnce: listsAtOnce, call, signal })]);
        }
      }
    }
    return tables({ packages, requests, loadBefore, yardstick: [before, after], calls, lists });
  } finally {
    for (const child of children.toReversed()) await end(child);
  }
}

async function startChild<T>(children: ChildProcess[], asked: Asked, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(new URL('service.ts', import.meta.url)), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.push(child);
  child.send(asked);
  const ended = once(child, 'exit').then(() => [{ error: 'it ended by itself' }]);
  const [answer] = (await Promise.race([once(child, 'message', { signal }), ended])) as [T | { error: string }];
  if (typeof answer === 'object' && answer !== null && 'error' in answer)
    throw new Error(`The ${asked.start} did not start: ${answer.error}`);
  return answer;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

interface Found {
  readonly packages: number;
  readonly requests: number;
  readonly loadBefore: number;
  readonly yardstick: readonly [Figures, Figures];
  readonly calls: readonly (readonly [string, Figures])[];
  readonly lists: readonly (readonly [string, number, Figures])[];
}

function tables({ packages, requests, loadBefore, yardstick, calls, lists }: Found): string {
  const [before, after] = yardstick;
  const mean = (before.perSecond + after.perSecond) / 2;
  const of = ({ perSecond, p50, p99 }: Figures) => [perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1)];
  const { metadata } = JSON.parse(lists[0]?.[2].sample ?? '{"metadata":{"total":0}}') as { metadata: { total: number } };
  return [
    `### Calls of the API, ${callsAtOnce} at once`,
    '',
    `${requests.toLocaleString('en')} of each, from one process over loopback; load average before: ${loadBefore.toFixed(1)}.`,
    '',
    row(['call', 'requests/s', 'p50 ms', 'p99 ms', "yardstick's requests/s ÷ these"]),
    row(['---', '---:', '---:', '---:', '---:']),
    row(['empty Fastify route, before', ...of(before), '']),
    ...calls.map(([name, figures]) => row([name, ...of(figures), `${(mean / figures.perSecond).toFixed(1)}×`])),
    row(['empty Fastify route, after', ...of(after), '']),
    '',
    `### Lists of a Team with ${packages.toLocaleString('en')} packages, ${listsAtOnce} at once`,
    '',
    `The owner sees ${metadata.total.toLocaleString('en')} by default. \`first\` is the first request of its kind, before anything is remembered of it.`,
    '',
    row(['list', 'page', 'packages in it', 'first ms', 'p50 ms', 'p99 ms']),
    row(['---', '---:', '---:', '---:', '---:', '---:']),
    ...lists.map(([name, page, { first, p50, p99, sample }]) => {
      const { total } = (JSON.parse(sample) as { metadata: { total: number } }).metadata;
      return row([name, page.toLocaleString('en'), total.toLocaleString('en'), first.toFixed(0), p50.toFixed(1), p99.toFixed(1)]);
    }),
    '',
  ].join('\n');
}
