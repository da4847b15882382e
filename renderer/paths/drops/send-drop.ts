import type { AgentClient } from '#client/agent.ts';
import { AgentCallError } from '#client/agent-call-error.ts';
import { forEachConcurrent } from '#client/for-each-concurrent.ts';
import type { Drop } from '#protocol/agent/drops.ts';
import { joined } from '../path-text.ts';
import { type DroppedFile, type DroppedTree, UnsendableEntry } from './read-entries.ts';

/** Sends a tree of the browser to the agent (contract/agent.md §13.1). */
export interface DropSender {
  /**
   * Sends what is not at the agent yet, and resolves with the paths of what was dropped on the agent's machine. It may be
   * called again after a failure, and then goes on.
   */
  send(signal: AbortSignal): Promise<string[]>;
  /** Deletes what the agent has of it. */
  discard(): void;
}

interface DropSenderOptions {
  /** Bytes that are at the agent. */
  readonly onProgress: (bytes: number) => void;
  /** Resolves after so many milliseconds; rejects when the signal fires. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly sliceBytes?: number;
}

/** One request's bytes: small enough that a broken one costs little, and that progress is seen. */
const defaultSliceBytes = 8 * 1024 * 1024;
const filesAtOnce = 3;
/** Milliseconds before each repetition of a request that got no answer. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000];

export function createDropSender(
  client: Pick<AgentClient, 'call'>,
  { tops, files, folders, bytes }: DroppedTree,
  { onProgress, sleep = sleepFor, sliceBytes = defaultSliceBytes }: DropSenderOptions,
): DropSender {
  let drop: Drop | null = null;
  const sent = new Map<string, number>();
  const progressed = (path: string, to: number): void => {
    sent.set(path, to);
    onProgress([...sent.values()].reduce((sum, one) => sum + one, 0));
  };

  const sendFile = async (id: string, { path, file }: DroppedFile, signal: AbortSignal): Promise<void> => {
    let offset = sent.get(path) ?? 0;
    for (let failures = 0; ; ) {
      try {
        if (failures > 0) offset = (await client.call('getDroppedFile', { params: { id }, query: { path }, signal })).bytes;
        const slice = file.slice(offset, offset + sliceBytes);
        const state = await client.call('putDroppedFile', {
          params: { id },
          query: { path, size: file.size, offset, last_modified: new Date(file.lastModified).toISOString() },
          body: slice,
          signal,
        });
        failures = 0;
        offset = state.bytes;
        progressed(path, offset);
        if (state.whole) return;
      } catch (error) {
        signal.throwIfAborted();
        await checkReadable(path, file);
        const pause = mayPass(error) ? pauses[failures++] : undefined;
        if (pause === undefined) throw error;
        await sleep(pause, signal);
      }
    }
  };

  return {
    async send(signal) {
      drop ??= await client.call('createDrop', { body: { bytes, folders: [...folders] }, signal });
      const { id, path } = drop;
      const left = files.filter((one) => (sent.get(one.path) ?? -1) < one.file.size);
      await forEachConcurrent(filesAtOnce, [...left.keys()], (index) => sendFile(id, left[index]!, signal));
      return tops.map((name) => joined(path, name));
    },
    discard() {
      // The agent deletes it by itself after a day.
      if (drop) client.call('deleteDrop', { params: { id: drop.id }, keepalive: true }).catch(() => undefined);
      drop = null;
    },
  };
}

/** The agent was away, or has other bytes than the page believes. */
const mayPass = (error: unknown): boolean =>
  error instanceof AgentCallError && (error.kind === 'offline' || error.is('transfer_conflict') || error.status === 429);

/** A browser tells a file that it can no longer read from an agent that does not answer only when it is asked for a byte. */
async function checkReadable(path: string, file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw new UnsendableEntry(path, 'unreadable', cause);
  }
}

const sleepFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
