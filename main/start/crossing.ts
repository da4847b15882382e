import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Door } from '../cli/doors/door.ts';
import { follow } from '../cli/doors/follow.ts';
import type { ProgressShow } from '../cli/progress.ts';
import { type Comparison, compareTrees } from './compare.ts';

/** A folder's way from one agent to another. */

export interface Leg {
  readonly bytes: number;
  readonly files: number;
  readonly seconds: number;
}

export interface Crossing {
  readonly link: string;
  readonly up: Leg;
  readonly down: Leg;
  /** Where the copy is. */
  readonly received: string;
  readonly comparison: Comparison;
}

export interface CrossingOptions {
  readonly sender: Door;
  /** May still be on its way while the sender works. */
  readonly receiver: Promise<Door>;
  readonly teamId: string;
  /** Absolute path of what is sent. */
  readonly path: string;
  /** Folder in which a new one is made for the copy. */
  readonly receivedDir: string;
  readonly progress: ProgressShow;
  readonly signal: AbortSignal;
  /** Told once, when the first byte has gone out. */
  readonly onFirstByte: () => void;
}

/**
 * Sends, opens the link at the other agent, downloads and compares.
 *
 * @throws the signal's reason when it fires; Error with a transfer's own sentence when one fails
 */
export async function cross(options: CrossingOptions): Promise<Crossing> {
  const { sender, teamId, path, receivedDir, progress, signal, onFirstByte } = options;
  const upload = await sender.transfers.upload({ team_id: teamId, paths: [path], package_name: basename(path), recipients: [] });
  const watching = firstByte(sender, upload.id, signal).then((began) => began && onFirstByte());
  const sent = complete(await follow(sender, upload.id, progress, signal), signal);
  await watching;
  if (sent.url === '') throw new Error('The package was sent, and has no link.');

  const receiver = await options.receiver;
  const received = join(receivedDir, sent.package_id);
  await mkdir(received, { recursive: true });
  const download = await receiver.transfers.download({ url: sent.url, dst_folder: received });
  const got = complete(await follow(receiver, download.id, progress, signal), signal);

  const comparison = await compareTrees(path, join(received, basename(path)));
  return { link: sent.url, up: legOf(sent), down: legOf(got), received, comparison };
}

/** Looks until bytes are on their way; false when the transfer ended without any, or nobody waits for it any more. */
async function firstByte(door: Door, id: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const { bytes, state } = await door.transfers.get(id);
    if (bytes > 0) return true;
    if (state === 'complete' || state === 'error' || state === 'cancelled') return false;
    await sleep(20, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

function complete(transfer: AgentTransfer, signal: AbortSignal): AgentTransfer {
  signal.throwIfAborted();
  if (transfer.state === 'complete') return transfer;
  const what = transfer.kind === 'upload' ? 'upload' : 'download';
  throw new Error(transfer.error?.message ?? `The ${what} ended as ${transfer.state}.`);
}

function legOf(transfer: AgentTransfer): Leg {
  const seconds = (Date.parse(transfer.finished_at ?? transfer.updated_at) - Date.parse(transfer.created_at)) / 1_000;
  return { bytes: transfer.total_bytes, files: transfer.total_files, seconds: Math.max(seconds, 0.001) };
}
