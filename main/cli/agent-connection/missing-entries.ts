import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { printJson } from '../commands/admin/print.ts';
import { countText, printable } from '../format.ts';
import type { AgentHandle } from './agent-handle.ts';

/** A file or folder of a transfer that failed or was skipped on purpose, and the reason. */
interface MissingEntry {
  readonly path: string;
  readonly code: number;
  readonly message: string;
}

/** All of them, in the shape that `--json` prints next to the transfer. */
interface MissingEntries {
  readonly failed: readonly MissingEntry[];
  readonly left_out: readonly MissingEntry[];
}

const perPage = 1_000;
/** Maximum lines for entries skipped on purpose, such as a system's own files. JSON has all of them. */
const maxSkippedLines = 20;

/** The entries of a finished transfer that are missing at the other end. */
async function readMissingEntries(agent: AgentHandle, { id }: Pick<AgentTransfer, 'id'>): Promise<MissingEntries> {
  const read = async (state: 'error' | 'skipped'): Promise<MissingEntry[]> => {
    const all: MissingEntry[] = [];
    for (let page = 1; ; page++) {
      const { total, records } = await agent.transfers.files(id, { page, limit: perPage, state });
      all.push(...records.map(entryOf));
      if (records.length === 0 || all.length >= total) return all;
    }
  };
  return { failed: await read('error'), left_out: await read('skipped') };
}

function entryOf({ path, name, error }: TransferFile): MissingEntry {
  return { path: path === '' ? name : `${path}/${name}`, code: error?.code ?? 0, message: error?.message ?? '' };
}

/** One line each: all failed entries, and the first skipped ones. */
function missingEntryLines({ failed, left_out: skipped }: MissingEntries): string[] {
  const lines = [
    ...failed.map((one) => `Failed: ${lineOf(one)}`),
    ...skipped.slice(0, maxSkippedLines).map((one) => `Left out: ${lineOf(one)}`),
  ];
  const more = skipped.length - maxSkippedLines;
  return more > 0 ? [...lines, `Left out: ${countText(more, 'more', 'more')}, all of which --json names.`] : lines;
}

const lineOf = ({ path, message }: MissingEntry): string => printable(`${path}: ${message}`.replaceAll(/\s+/g, ' '));

/** Reports the missing entries at the end of a command's transfer. */
interface MissingEntryReporter {
  /** The result of the last read. */
  readonly read: MissingEntries;
  complete(complete: AgentTransfer): Promise<void>;
  failed(failed: AgentTransfer): Promise<'go_on' | 'over'>;
}

/**
 * Prints lines on stderr, or JSON on stdout where the transfer failed (for a complete transfer the command itself
 * prints it). With `skipFailed`, a package with failed files is finalized once without them.
 */
export function missingEntryReporter(
  agent: AgentHandle,
  { json, skipFailed }: { readonly json: boolean; readonly skipFailed: boolean },
): MissingEntryReporter {
  let read: MissingEntries = { failed: [], left_out: [] };
  let skipped = false;
  const report = async (ended: AgentTransfer): Promise<void> => {
    read = await readMissingEntries(agent, ended);
    if (!json) for (const line of missingEntryLines(read)) console.error(line);
  };
  return {
    get read() {
      return read;
    },
    complete: report,
    async failed(ended) {
      // A package of which no file arrived cannot be finalized.
      if (skipFailed && !skipped && ended.files > 0 && ended.error?.code === errorCatalogue.files_failed.code) {
        skipped = true;
        await agent.transfers.finalize(ended.id);
        return 'go_on';
      }
      await report(ended);
      if (json) printJson({ ...ended, ...read });
      return 'over';
    },
  };
}
