import { join } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import type { Engine } from '../../engine.ts';
import { wordsOf } from '../../errors.ts';
import { type Clock, systemClock } from '../../ports.ts';
import type { RefusedToken } from '../../transfer/job.ts';
import { browse } from './browse.ts';
import { type CheckStep, checkMount } from './check-mount.ts';
import { markRoot, removeMarker } from './marker-file.ts';
import type { Beginning, Browse, Check, FromMount, MountState, Question, RateLimits, ToMount, Work } from './messages.ts';
import { probe } from './probe.ts';
import { createMountTransfers, type MountTransfers } from './transfers.ts';

export interface WorkerPorts {
  readonly fileSystem: FileSystem;
  readonly send: (message: FromMount) => void;
  /** An engine of this mount alone, restricted to its root. */
  readonly openEngine: (renewPackageToken: (refused: RefusedToken, signal: AbortSignal) => Promise<string | null>) => Promise<Engine>;
  readonly clock?: Clock;
}

export interface MountWorker {
  receive(message: Exclude<ToMount, Beginning | { readonly type: 'stop' }>): void;
  close(): Promise<void>;
}

/**
 * What the process of a mount does: all work on the mount's folder. It answers one question after the other where they
 * are about the disk, so that a folder that does not answer shows as a question without an answer.
 */
export function createMountWorker(begin: Beginning, { fileSystem, send, openEngine, clock = systemClock }: WorkerPorts): MountWorker {
  const { root, readOnly } = begin;
  let limits: RateLimits = begin.rateLimits;
  let transfers: Promise<MountTransfers> | null = null;
  let state: MountState | null = null;
  let closed = false;
  let checks = 0;
  /** Work that could not begin yet, as while an earlier process still holds the state. */
  const postponed = new Map<string, Work>();

  const running = (): Promise<MountTransfers> => {
    transfers ??= createMountTransfers({ root, readOnly, serviceUrl: begin.serviceUrl, openEngine, send, clock, look, limits }).catch(
      (cause) => {
        transfers = null;
        throw cause;
      },
    );
    return transfers;
  };

  /** A folder that was not well is written to before it counts as well again. */
  function look(): MountState {
    const before = state;
    state = probe(begin, fileSystem, before?.state !== 'ok');
    if (before?.state !== state.state) void transfers?.then((all) => all.moved(state!)).catch(() => undefined);
    return state;
  }

  const hasState = (): boolean => fileSystem.stat(join(begin.dataDir, 'agent.db')) !== null;

  const answers: { readonly [Name in Question]: (ask: never, tell: (step: CheckStep) => void) => Promise<unknown> } = {
    async probe() {
      const now = look();
      if (now.state === 'ok') void transfers?.then((all) => all.isWell(now.freeBytes)).catch(() => undefined);
      // What an earlier process had begun goes on.
      if (transfers === null && now.state === 'ok' && hasState()) void running().then((all) => all.moved(now), logged);
      const due = [...postponed.values()];
      postponed.clear();
      for (const one of due) void work(one);
      return now;
    },
    browse: (ask: Browse) => browse(root, ask, fileSystem),
    check: (ask: Check, tell) => checkMount(begin, ask, { unique: `check${process.pid}-${++checks}`, fileSystem, tell }),
    mark: () => markRoot(begin, fileSystem),
    async unmark() {
      removeMarker(root, begin.mountId, fileSystem);
      return null;
    },
    async cancel({ transferId }: { readonly transferId: string }) {
      postponed.delete(transferId);
      if (transfers !== null || hasState()) await (await running()).cancel(transferId);
      return null;
    },
  };

  const logged = (cause: unknown): void =>
    send({ type: 'log', level: 'warn', facts: { error: wordsOf(cause) }, message: 'a mount could not go on' });

  const work = async (one: Work): Promise<void> => {
    try {
      const all = await running();
      all.moved(look());
      await all.begin(one);
    } catch (cause) {
      if (closed) return;
      postponed.set(one.transferId, one);
      const progress = { bytes: 0, total_bytes: 0, files: 0, total_files: 0 };
      send({ type: 'report', report: { transferId: one.transferId, state: 'waiting', progress, error: wordsOf(cause) } });
      logged(cause);
    }
  };

  return {
    receive(message) {
      switch (message.type) {
        case 'ask': {
          const answer = answers[message.question] as (ask: unknown, tell: (step: CheckStep) => void) => Promise<unknown>;
          Promise.resolve()
            .then(() => answer(message.ask, (step) => send({ type: 'step', number: message.number, step })))
            .then(
              (found) => send({ type: 'answer', number: message.number, answer: found }),
              (cause: unknown) => send({ type: 'failed', number: message.number, message: wordsOf(cause) }),
            );
          break;
        }
        case 'work':
          void work(message.work);
          break;
        case 'limits':
          limits = { upload: message.upload, download: message.download };
          void transfers?.then((all) => all.limit(limits)).catch(() => undefined);
          break;
      }
    },
    async close() {
      closed = true;
      await (await transfers?.catch(() => null))?.close();
    },
  };
}
