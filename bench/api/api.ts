import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { row } from '../report/format.ts';
import { spreadOf } from '../statistics.ts';
import { keyFor, listQueries, memberQueries, type Target, uploadCalls } from './calls.ts';
import { type Call, drive, type Figures } from './drive.ts';
import type { Asked } from './service.ts';

/** The hosted API's own speed: calls per second beside an empty Fastify route, and lists of a million packages. */
interface ApiBenchOptions {
  /** A folder of its own. */
  readonly folder: string;
  readonly quick: boolean;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

const callsAtOnce = 16;
/** What a caller waits for a list, not how long it stands in a queue. */
const listsAtOnce = 1;
/** A call and its yardsticks in turn, so often: what slowed one slowed the others, and the median counts. */
const rounds = 5;

/** @returns the tables as Markdown */
export async function apiBench({ folder, quick, signal, say }: ApiBenchOptions): Promise<string> {
  const packages = quick ? 2_000 : 1_000_000;
  /** Of each round. */
  const requests = quick ? 10 : 1_000;
  const perList = quick ? 5 : 500;
  const loadBefore = loadavg()[0]!;
  // As root the service runs its PostgreSQL as another user, which needs to traverse this folder.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  const children: ChildProcess[] = [];
  try {
    const yardstick = await startChild<{ url: string }>(children, { start: 'yardstick' }, signal);
    say(`API: making ${packages.toLocaleString('en')} packages.`);
    const target = await startChild<Target>(children, { start: 'service', folder, packages }, signal);
    const apiKey = await keyFor(target);
    say('API: measuring calls.');
    const load = (url: string, call: (n: number) => Call) => drive({ url, requests, atOnce: callsAtOnce, call, signal });
    const route = (path: string) => load(yardstick.url, () => ({ method: 'GET', path }));
    const calls: CallRounds[] = [];
    for (const { name, call } of await uploadCalls(target, apiKey, requests * (rounds + 1))) {
      // The first round is of code that no engine has compiled yet, on either side.
      const warm = await load(target.url, call);
      const bytes = Buffer.byteLength(warm.sample);
      await route('/');
      await route(`/bytes/${Math.max(2, bytes)}`);
      const measured: CallRounds = { name, bytes, rounds: [] };
      for (let round = 1; round <= rounds; round += 1) {
        measured.rounds.push({
          empty: await route('/'),
          same: await route(`/bytes/${Math.max(2, bytes)}`),
          own: await load(target.url, (n) => call(round * requests + n)),
        });
      }
      calls.push(measured);
    }
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
    return tables({ packages, requests, loadBefore, calls, lists });
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

interface CallRounds {
  readonly name: string;
  /** Of its answer. */
  readonly bytes: number;
  readonly rounds: { readonly empty: Figures; readonly same: Figures; readonly own: Figures }[];
}

interface Found {
  readonly packages: number;
  readonly requests: number;
  readonly loadBefore: number;
  readonly calls: readonly CallRounds[];
  readonly lists: readonly (readonly [string, number, Figures])[];
}

const median = (values: readonly number[]): number => spreadOf(values)!.median;

function callRow({ name, bytes, rounds: all }: CallRounds): string {
  const of = (figure: keyof Omit<Figures, 'sample'>) => median(all.map(({ own }) => own[figure]));
  const against = (yardstick: 'empty' | 'same') => `${median(all.map((one) => one[yardstick].perSecond / one.own.perSecond)).toFixed(1)}×`;
  const texts = [of('perSecond').toFixed(0), of('p50').toFixed(1), of('p99').toFixed(1), bytes.toLocaleString('en')];
  return row([name, ...texts, against('empty'), against('same')]);
}

function tables({ packages, requests, loadBefore, calls, lists }: Found): string {
  const empty = median(calls.flatMap(({ rounds: all }) => all.map((one) => one.empty.perSecond)));
  const { metadata } = JSON.parse(lists[0]?.[2].sample ?? '{"metadata":{"total":0}}') as { metadata: { total: number } };
  return [
    `### Calls of the API, ${callsAtOnce} at once`,
    '',
    `${rounds} rounds of ${requests.toLocaleString('en')} each after one that does not count, from one process over loopback, in turn with an empty Fastify route (${empty.toFixed(0)} requests/s) and with one that answers as many bytes; medians. Load average before: ${loadBefore.toFixed(1)}.`,
    '',
    row([
      'call',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'bytes of the answer',
      "empty route's requests/s ÷ these",
      '÷ those of a route with as many bytes',
    ]),
    row(['---', '---:', '---:', '---:', '---:', '---:', '---:']),
    ...calls.map(callRow),
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
