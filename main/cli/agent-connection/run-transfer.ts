import { LateStopError } from '#net/stop-within.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { CommandError, exitCodeOfNumber } from '../failure.ts';
import { createProgress } from '../progress.ts';
import { type StopRequest, stopRequest } from '../signals.ts';
import type { AgentHandle } from './agent-handle.ts';
import { follow } from './follow.ts';

/** A command's last steps after its transfer, before the connection is closed. */
interface TransferEndHooks {
  readonly complete?: (complete: AgentTransfer) => Promise<void>;
  /** Returns `go_on` after it has resumed the transfer, which is then followed again until it ends. */
  readonly failed?: (failed: AgentTransfer) => Promise<'go_on' | 'over'>;
}

/**
 * Begins a transfer, or resumes an unfinished one of an earlier run, and follows it to its end. The connection is closed in
 * any case.
 *
 * @throws CommandError when the transfer fails, with its own sentence
 * @returns the complete transfer, or the exit code of an interruption
 */
export async function runTransfer(
  agent: AgentHandle,
  begin: () => Promise<AgentTransfer>,
  what: 'upload' | 'download' | 'transfer',
  stop: StopRequest = stopRequest(),
  afterwards: TransferEndHooks = {},
): Promise<AgentTransfer | ExitCode> {
  const stopping = new AbortController();
  void stop.asked.then(() => stopping.abort());
  try {
    // A service that does not answer must not block an interruption.
    const begun = await Promise.race([begin(), stop.asked.then(() => null)]);
    if (begun === null) {
      console.error(`Stopped while the ${what} was being begun.`);
      return exitCodes.interrupted;
    }
    const followed = () => follow(agent, begun.id, createProgress(process.stderr), stopping.signal);
    let ended = await followed();
    while (ended.state === 'error' && (await afterwards.failed?.(ended)) === 'go_on') ended = await followed();
    switch (ended.state) {
      case 'complete':
        await afterwards.complete?.(ended);
        return ended;
      case 'error':
        throw new CommandError(exitCodeOfNumber(ended.error?.code ?? 0), ended.error ? withTraceId(ended.error) : `The ${what} failed.`);
      case 'cancelled':
        throw new CommandError(exitCodes.failure, `The ${what} was cancelled on the agent.`);
      default:
        console.error(
          agent.url === ''
            ? `Stopped. The ${what} is written down: run the same command again, and it goes on where it was.`
            : `The ${what} goes on without this command, on the agent at ${agent.url}.`,
        );
        return exitCodes.interrupted;
    }
  } finally {
    await closed(agent);
    stop.release();
  }
}

/** What does not stop is told, and changes nothing of how the command ends. */
async function closed(agent: AgentHandle): Promise<void> {
  try {
    await agent.close();
  } catch (error) {
    if (!(error instanceof LateStopError)) throw error;
    console.error(error.message);
  }
}

/** For whoever looks into the service's log. */
const withTraceId = ({ message, trace_id: id }: NonNullable<AgentTransfer['error']>): string =>
  id === undefined ? message : `${message} (Trace id: ${id})`;
