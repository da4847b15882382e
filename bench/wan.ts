import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { longshoreContender, startLongshore } from './longshore.ts';
import { makeMaterial, type Sizes } from './material.ts';
import { startPeers } from './peers/peers.ts';
import type { Programs } from './peers/programs.ts';
import type { PeerServer } from './peers/server.ts';
import { startWanLink, type WanLink } from './peers/wan-link.ts';
import { measureRounds, type Results } from './rounds.ts';

/** The same workloads over a link with high latency that breaks some connections. */

/** Rounds over this link are slow, and more of them change little. */
const mostRounds = 3;
/** Clients that send small files one after another take minutes for them. */
const fewSmall = { small_up: 1, small_down: 1 } as const;

export interface WanLine {
  readonly roundTripMs: number;
  /** The share of connections that break. */
  readonly broken: number;
  /** Bytes of one connection under way at most; infinite for no bound. */
  readonly window: number;
}

export interface WanLinkFacts extends WanLine {
  readonly count: WanLink['count'];
}

interface MeasureWanOptions {
  readonly sizes: Sizes;
  readonly line: WanLine;
  readonly programs: Programs;
  readonly rounds: number;
  readonly minutes: number;
  readonly folder: string;
  readonly endings: (() => Promise<void>)[];
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export async function measureWan(options: MeasureWanOptions): Promise<Results & { readonly line: WanLinkFacts }> {
  const { sizes, line: facts, minutes, folder, endings, signal, say } = options;
  say(`Preparing ${sizes.bigBytes / 2 ** 20} MiB and ${sizes.smallFiles} small files, and a line of ${facts.roundTripMs} ms.`);
  const material = makeMaterial(folder, sizes);
  const random = seeded(1);
  const lines: WanLink[] = [];
  const line = async (): Promise<WanLink> => {
    const begun = await startWanLink({ ...facts, random });
    lines.push(begun);
    endings.push(() => begun.stop());
    return begun;
  };
  const throughLink = async (server: PeerServer): Promise<PeerServer> => {
    const link = await line();
    link.upstream = endpointOf(server.url);
    return { ...server, url: link.url };
  };
  const peers = await startPeers({ ...options, material, by: throughLink, retries: true, wanted: (_, server) => server !== 's3rver' });
  const toApi = await line();
  const toStorage = await line();
  const home = join(folder, 'longshore');
  mkdirSync(home);
  const longshore = await startLongshore({ folder: home, profile: null, publicUrls: { api: toApi.url, storage: toStorage.url }, signal });
  endings.push(() => longshore.stop());
  toApi.upstream = endpointOf(longshore.service.url);
  toStorage.upstream = endpointOf(longshore.service.storageUrl);
  const others = peers.contenders.map((one) => ({ ...one, mostRounds: one.name === 'curl' ? {} : fewSmall }));
  const contenders = [await longshoreContender(longshore, material), ...others];
  const rounds = Math.min(options.rounds, mostRounds);
  const series = await measureRounds({ contenders, material, rounds, minutes, folder, signal, say });
  const count = {
    opened: lines.reduce((sum, one) => sum + one.count.opened, 0),
    broken: lines.reduce((sum, one) => sum + one.count.broken, 0),
  };
  return { series, absentees: peers.absentees, line: { ...facts, count } };
}

function endpointOf(url: string): WanLink['upstream'] {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** The same numbers in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
