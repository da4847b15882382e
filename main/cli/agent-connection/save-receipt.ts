import { accessSync, constants, createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import type { AgentHandle } from './agent-handle.ts';

export const receiptOption = (): Option =>
  new Option('--receipt <file>', 'write the signed receipt of the package to this file at the end, for `longshore verify`').env(
    'LONGSHORE_RECEIPT',
  );

/** Checks before the transfer that the receipt can be written after it. */
export function checkReceiptFile(file: string | undefined): void {
  if (file === undefined) return;
  const folder = dirname(resolve(file));
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw unwritable(file, cause);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(exitCodes.local, `${file} is a folder. Give --receipt the name of a file.`);
  }
}

/** Writes a transfer's receipt atomically; an existing file is replaced. */
export async function saveReceipt(agent: Pick<AgentHandle, 'transfers'>, id: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const pieces = await agent.transfers.receipt(id);
  const draft = `${resolve(file)}.${process.pid}.new`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(draft, { flush: true }));
    renameSync(draft, resolve(file));
  } catch (cause) {
    rmSync(draft, { force: true });
    throw unwritable(file, cause);
  }
}

function unwritable(file: string, cause: unknown): CommandError {
  return new CommandError(exitCodes.local, `The receipt cannot be written to ${file}: ${(cause as Error).message}. Give another file.`, {
    cause,
  });
}
