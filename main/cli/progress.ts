import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { bytesText, countText, durationText, printable, speedText } from './words.ts';

const barWidth = 20;
/** Below this a terminal has no room for a bar beside the numbers. */
const barFromColumns = 70;

/** `[#######-------------] `, in signs that every terminal has. */
export function barText(bytes: number, total: number): string {
  const filled = total > 0 ? Math.min(barWidth, Math.floor((bytes / total) * barWidth)) : 0;
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] `;
}

/** Whether a terminal has room for a bar. */
export const hasRoomForBar = ({ isTTY, columns }: ProgressSink): boolean => isTTY === true && (columns || 80) >= barFromColumns;

/** A transfer's state as one line, where wished with a bar. */
export function progressLine(transfer: AgentTransfer, bar = false): string {
  const { kind, state, bytes, total_bytes: total, files, total_files: totalFiles, waiting, error } = transfer;
  const share = total > 0 ? Math.min(100, Math.floor((bytes / total) * 100)) : 0;
  const amounts = `${bar ? barText(bytes, total) : ''}${share}%  ${bytesText(bytes)} of ${bytesText(total)}, ${files} of ${countText(totalFiles, 'file')}`;
  if (waiting) return `Waiting: ${printable(waiting.reason)}  (${amounts})`;
  switch (state) {
    case 'queued':
      return 'Waiting for its turn';
    case 'transferring': {
      if (totalFiles === 0) return kind === 'upload' ? 'Looking at what is to be sent' : 'Opening the link';
      const left = transfer.seconds_left === null ? '' : `, ${durationText(transfer.seconds_left)} left`;
      return `${kind === 'upload' ? 'Sending' : 'Receiving'} ${amounts}, ${speedText(transfer.bytes_per_second)}${left}`;
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
  /** Leaves the last line standing, or takes it away. */
  end(): void;
}

/** Between two plain lines of a transfer that merely goes on. */
const plainEverySeconds = 10;

/**
 * Shows a transfer as it goes: on a terminal one line that is written over, elsewhere a plain line now and
 * then and whenever it begins to wait, for another reason, or goes on again.
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

export interface LineShow {
  /** Where lines are not written over, one is shown at once if its `key` is another than that of the one before. */
  show(line: string, key: string): void;
  /** Takes a line away that is written over. */
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
        // Some terminals do not say how wide they are, or say 0.
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
