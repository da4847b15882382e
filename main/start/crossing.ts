import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { nameFrom } from '#protocol/names.ts';
import type { AgentHandle } from '../cli/agent-connection/agent-handle.ts';
import { follow } from '../cli/agent-connection/follow.ts';
import type { ProgressShow } from '../cli/progress.ts';
import { type Comparison, compareTrees } from './compare.ts';

/** Sends a folder from one agent to another. */

export interface Leg {
  readonly bytes: number;
  readonly files: number;
  readonly seconds: number;
}

export interface Crossing {
  readonly link: string;
  readonly up: Leg;
  readonly down: Leg;
  /** The path of the copy. */
  readonly received: string;
  readonly comparison: Comparison;
}

interface CrossingOptions {
  readonly sender: AgentHandle;
  /** May still be starting while the sender works. */
  readonly receiver: Promise<AgentHandle>;
  readonly teamId: string;
  /** Absolute path of the file or folder to send. */
  readonly path: string;
  /** The parent folder for the copy's new folder. */
  readonly receivedDir: string;
  readonly progress: ProgressShow;
  readonly signal: AbortSignal;
  /** Called once, when the first byte has been sent. */
  readonly onFirstByte: () => void;
}

/**
 * Sends, opens the link at the other agent, downloads and compares.
 *
 * @throws the signal's reason when it fires; Error with a transfer's own sentence when one fails
 */
export async function cross(options: CrossingOptions): Promise<Crossing> {
  const { sender, teamId, path, receivedDir, progress, signal, onFirstByte } = options;
  const upload = await sender.transfers.upload({
    team_id: teamId,
    paths: [path],
    package_name: nameFrom(basename(path), 'Files'),
    recipients: [],
  });
  const watching = firstByte(sender, upload.id, signal).then((began) => began && onFirstByte());
  const sent = complete(await follow(sender, upload.id, progress, signal), signal);
  await watching;
  if (sent.url === '') throw new Error('The package was sent, and has no link.');

  const receiver = await options.receiver;
  const received = join(receivedDir, sent.package_id);
  makeDirs(received);
  const download = await receiver.transfers.download({ url: sent.url, dst_folder: received });
  const got = complete(await follow(receiver, download.id, progress, signal), signal);

  const comparison = await compareTrees(path, join(received, basename(path)));
  return { link: sent.url, up: legOf(sent), down: legOf(got), received, comparison };
}

/** Polls until the first bytes are sent; false when the transfer ended without any, or the signal has fired. */
async function firstByte(agent: AgentHandle, id: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const { bytes, state } = await agent.transfers.get(id);
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
