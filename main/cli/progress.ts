import { type Stage, stageOf } from '#protocol/agent/progress.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { bytesText, countText, durationText, printable, speedText } from './format.ts';

const barWidth = 20;
/** In a narrower terminal there is no room for a bar next to the numbers. */
const barFromColumns = 70;

/** `[#######-------------] `, in ASCII so that every terminal can show it. */
export function barText(share: number): string {
  const filled = Math.min(barWidth, Math.floor(share * barWidth));
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] `;
}

interface Amount {
  readonly bytes: number;
  readonly total: number;
  readonly grows: boolean;
  /** Where it is not `bytes` of `total`. */
  readonly share?: number | undefined;
}

/** `35%  1.20 GB of 3.40 GB`, with a bar before it where asked for. A total that grows has no share, which would go back. */
export function amountText({ bytes, total, grows, share: told }: Amount, bar: boolean): string {
  if (grows) return `${bytesText(bytes)} of more than ${bytesText(total)}`;
  const share = told !== undefined && bytes < total ? told : total > 0 ? bytes / total : 0;
  return `${bar ? barText(share) : ''}${Math.min(100, Math.floor(share * 100))}%  ${bytesText(bytes)} of ${bytesText(total)}`;
}

/** Whether a terminal has room for a bar. */
export const hasRoomForBar = ({ isTTY, columns }: ProgressSink): boolean => isTTY === true && (columns || 80) >= barFromColumns;

/** A stage that moves no bytes is never shown as "sending". */
const stillWords: Readonly<Record<Stage, string>> = {
  preparing: 'Preparing',
  starting: 'Starting',
  moving: 'Moving',
  standing: 'Nothing moves at the moment',
  closing: 'Completing',
};

/** A transfer's state as one line, optionally with a bar. */
export function progressLine(transfer: AgentTransfer, bar = false): string {
  const { kind, state, bytes, total_bytes: total, files, total_files: totalFiles, waiting, error } = transfer;
  const grows = transfer.total_grows === true;
  const amounts = `${amountText({ bytes, total, grows, share: transfer.share }, bar)}, ${files} of ${grows ? 'more than ' : ''}${countText(totalFiles, 'file')}`;
  if (waiting) return `Waiting: ${printable(waiting.reason)}  (${amounts})`;
  switch (state) {
    case 'queued':
      return 'Waiting for its turn';
    case 'transferring': {
      if (totalFiles === 0) return kind === 'upload' ? 'Looking at what is to be sent' : 'Opening the link';
      const left = transfer.seconds_left === null ? '' : `, ${durationText(transfer.seconds_left)} left`;
      const moving = `${kind === 'upload' ? 'Sending' : 'Receiving'} ${amounts}, ${speedText(transfer.bytes_per_second)}${left}`;
      return stageOf(transfer) === 'moving' ? moving : `${stillWords[stageOf(transfer)]}  (${amounts})`;
    }
    case 'paused':
      return `Paused  (${amounts})`;
    case 'idle':
      return `All sent, waiting to be finalized  (${amounts})`;
    case 'complete':
      return `${kind === 'upload' ? 'Sent' : 'Received'} ${countText(totalFiles, 'file')}, ${bytesText(total)}`;
    case 'cancelled':
      return 'Cancelled';
    case 'error':
      return `Failed: ${printable(error?.message ?? 'for an unknown reason')}`;
  }
}

export interface ProgressSink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressShow {
  show(transfer: AgentTransfer): void;
  /** Keeps the last line on the screen, or clears it. */
  end(): void;
}

/** Interval between two plain lines while nothing but the progress changes. */
const plainEverySeconds = 10;

/**
 * Shows a transfer's progress. On a terminal one line is overwritten. Elsewhere a plain line is printed now and then,
 * and whenever the transfer begins to wait, waits for another reason, or continues.
 *
 * @param now milliseconds
 */
export function createProgress(sink: ProgressSink, now: () => number = () => performance.now()): ProgressShow {
  const lines = createLineShow(sink, now);
  return {
    show: (transfer) =>
      lines.show(progressLine(transfer, hasRoomForBar(sink)), `${transfer.state} ${transfer.waiting?.reason.replaceAll(/\d+/g, '') ?? ''}`),
    end: lines.end,
  };
}

interface LineShow {
  /** Where lines cannot be overwritten, a line with a new `key` is printed at once; others are rate limited. */
  show(line: string, key: string): void;
  /** Clears the overwritten line. */
  end(): void;
}

export function createLineShow(sink: ProgressSink, now: () => number = () => performance.now()): LineShow {
  let shown = '';
  let plainAt = Number.NEGATIVE_INFINITY;
  let plainKey: string | null = null;
  return {
    show(line, key) {
      if (sink.isTTY) {
        if (line === shown) return;
        shown = line;
        // Some terminals report no width, or 0.
        const room = (sink.columns || 80) - 1;
        sink.write(`\r\u001b[K${line.length > room ? `${line.slice(0, room - 1)}…` : line}`);
        return;
      }
      if (key === plainKey && now() - plainAt < plainEverySeconds * 1_000) return;
      plainKey = key;
      plainAt = now();
      sink.write(`${line}\n`);
    },
    end() {
      if (sink.isTTY && shown !== '') sink.write('\r\u001b[K');
      shown = '';
    },
  };
}
