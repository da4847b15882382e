import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { printJson } from '../commands/admin/print.ts';
import { countText, printable } from '../words.ts';
import type { Door } from './door.ts';

/** A file or folder of a transfer that failed or was skipped on purpose, and the reason. */
export interface LeftBehind {
  readonly path: string;
  readonly code: number;
  readonly message: string;
}

/** All of them, in the shape that `--json` prints next to the transfer. */
export interface Behind {
  readonly failed: readonly LeftBehind[];
  readonly left_out: readonly LeftBehind[];
}

const perPage = 1_000;
/** Maximum lines for entries skipped on purpose, such as a system's own files. JSON has all of them. */
const mostLeftOut = 20;

/** The entries of a finished transfer that are missing at the other end. */
export async function readBehind(door: Door, { id }: Pick<AgentTransfer, 'id'>): Promise<Behind> {
  const read = async (state: 'error' | 'skipped'): Promise<LeftBehind[]> => {
    const all: LeftBehind[] = [];
    for (let page = 1; ; page++) {
      const { total, records } = await door.transfers.files(id, { page, limit: perPage, state });
      all.push(...records.map(entryOf));
      if (records.length === 0 || all.length >= total) return all;
    }
  };
  return { failed: await read('error'), left_out: await read('skipped') };
}

function entryOf({ path, name, error }: TransferFile): LeftBehind {
  return { path: path === '' ? name : `${path}/${name}`, code: error?.code ?? 0, message: error?.message ?? '' };
}

/** One line each: all failed entries, and the first skipped ones. */
export function behindLines({ failed, left_out: leftOut }: Behind): string[] {
  const lines = [
    ...failed.map((one) => `Failed: ${lineOf(one)}`),
    ...leftOut.slice(0, mostLeftOut).map((one) => `Left out: ${lineOf(one)}`),
  ];
  const more = leftOut.length - mostLeftOut;
  return more > 0 ? [...lines, `Left out: ${countText(more, 'more', 'more')}, all of which --json names.`] : lines;
}

const lineOf = ({ path, message }: LeftBehind): string => printable(`${path}: ${message}`.replaceAll(/\s+/g, ' '));

/** Reports the missing entries at the end of a command's transfer. */
export interface BehindTeller {
  /** The result of the last read. */
  readonly read: Behind;
  complete(complete: AgentTransfer): Promise<void>;
  failed(failed: AgentTransfer): Promise<'go_on' | 'over'>;
}

/**
 * Prints lines on stderr, or JSON on stdout where the transfer failed (for a complete transfer the command itself
 * prints it). With `skipFailed`, a package with failed files is finalized once without them.
 */
export function behindTeller(door: Door, { json, skipFailed }: { readonly json: boolean; readonly skipFailed: boolean }): BehindTeller {
  let read: Behind = { failed: [], left_out: [] };
  let skipped = false;
  const look = async (ended: AgentTransfer): Promise<void> => {
    read = await readBehind(door, ended);
    if (!json) for (const line of behindLines(read)) console.error(line);
  };
  return {
    get read() {
      return read;
    },
    complete: look,
    async failed(ended) {
      // A package of which no file arrived cannot be finalized.
      if (skipFailed && !skipped && ended.files > 0 && ended.error?.code === errorCatalogue.files_failed.code) {
        skipped = true;
        await door.transfers.finalize(ended.id);
        return 'go_on';
      }
      await look(ended);
      if (json) printJson({ ...ended, ...read });
      return 'over';
    },
  };
}
