import type { EngineEvent } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type ErrorName, errorCatalogue } from '#protocol/errors.ts';

type Kind = AgentTransfer['kind'];

/** Counters of transfers since this agent started. They only grow. */
export interface TransferCounts {
  readonly bytes: Readonly<Record<Kind, number>>;
  readonly files: Readonly<Record<Kind, number>>;
  readonly completed: Readonly<Record<Kind, number>>;
  /** By the name of the error in the catalogue. */
  readonly failed: ReadonlyMap<string, number>;
}

interface TransferCounter extends TransferCounts {
  take(event: EngineEvent): void;
}

interface Known {
  readonly bytes: number;
  readonly files: number;
  readonly state: AgentTransfer['state'];
}

const names = new Map((Object.keys(errorCatalogue) as ErrorName[]).map((name) => [errorCatalogue[name].code as number, name]));

/** The catalogue's name for an error code. */
const errorName = (code: number): string => names.get(code) ?? 'other';

/**
 * Counts by the engine's events. For a transfer that was under way already, earlier bytes belong to an earlier run and
 * are not counted. A part that is sent again counts twice, since its bytes were moved twice.
 */
export function createTransferCounter(): TransferCounter {
  const known = new Map<string, Known>();
  const bytes = { upload: 0, download: 0 };
  const files = { upload: 0, download: 0 };
  const completed = { upload: 0, download: 0 };
  const failed = new Map<string, number>();

  return {
    bytes,
    files,
    completed,
    failed,
    take(event) {
      if (event.type === 'transfer.removed') known.delete(event.transfer_id);
      // Bytes of missed events are not counted. The next event of each transfer gives its new base.
      if (event.type === 'events.lost') known.clear();
      if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') return;
      const { id, kind, state, error, ...now } = event.transfer;
      const before = known.get(id);
      if (before) {
        bytes[kind] += Math.max(0, now.bytes - before.bytes);
        files[kind] += Math.max(0, now.files - before.files);
        if (state !== before.state && state === 'complete') completed[kind] += 1;
        if (state !== before.state && state === 'error') {
          const name = errorName(error?.code ?? 0);
          failed.set(name, (failed.get(name) ?? 0) + 1);
        }
      }
      // A failed transfer may be retried. It is then counted from where it is.
      if (state === 'complete' || state === 'cancelled') known.delete(id);
      else known.set(id, { bytes: now.bytes, files: now.files, state });
    },
  };
}
