import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import { hasEnded } from '#client/agent-transfers.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { ApiError } from '#protocol/errors.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../agent-connection/agent-options.ts';
import { findTransfer, unfinishedTransfers } from '../agent-connection/find-transfer.ts';
import { type End, type ExitCode, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { countText, durationText, printable, speedText } from '../format.ts';
import { amountText, createLineShow, hasRoomForBar, type ProgressSink, progressLine } from '../progress.ts';
import { type StopRequest, stopRequest } from '../signals.ts';
import { printJson } from './admin/print.ts';

interface WaitFlags extends AgentFlags {
  readonly json: boolean;
}

const help = `
Examples:
  longshore wait
  longshore wait "Day 12" && rm -r dailies/
  longshore wait 019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --json | jq -r '.[].url'

Without a transfer it waits for all that are not over when it begins. Progress goes to stderr; what came of each to
stdout as it ends, with --json as one list at the end. A paused transfer is waited for. Ctrl-C ends the waiting alone.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'notAll', 'interrupted'])}`;

/** `longshore wait [TRANSFER…]`: waits for transfers to end; the exit code tells whether all are complete. */
export function waitCommand(end: End): Command {
  const command = new Command('wait')
    .description('Waits until transfers of the running agent are over.')
    .argument('[transfer...]', 'ids or names, as `longshore ls` shows them')
    .addOption(jsonOption());
  return addAgentOptions(command)
    .addHelpText('after', help)
    .action(async (given: string[], flags: WaitFlags) => {
      const agent = await openAgent(flags);
      const wanted = new Map<string, AgentTransfer>();
      for (const one of given) {
        const transfer = await findTransfer(agent, one);
        wanted.set(transfer.id, transfer);
      }
      if (given.length === 0) for (const one of await unfinishedTransfers(agent)) wanted.set(one.id, one);
      if (wanted.size === 0) console.error('Nothing is under way.');
      end(await waitFor(agent, [...wanted.values()], flags.json));
    });
}

const pollIntervalMs = 500;
/** Up to this number of transfers are requested one by one; above it, the whole list. */
const fewTransfers = 20;

async function waitFor(
  agent: AgentClient,
  all: readonly AgentTransfer[],
  json: boolean,
  stop: StopRequest = stopRequest(),
): Promise<ExitCode> {
  const stopping = new AbortController();
  void stop.asked.then(() => stopping.abort());
  const known = new Map(all.map((transfer) => [transfer.id, transfer]));
  const pending = new Set(known.keys());
  const gone = new Set<string>();
  const progress = createLineShow(process.stderr);
  try {
    for (;;) {
      for (const [id, transfer] of await currentStates(agent, pending)) {
        if (transfer === null) gone.add(id);
        else known.set(id, transfer);
        if (transfer !== null && !hasEnded(transfer)) continue;
        pending.delete(id);
        progress.end();
        if (!json) process.stdout.write(`${endLine(known.get(id)!, transfer === null)}\n`);
      }
      if (pending.size === 0) break;
      const { line, key } = combinedProgress([...known.values()], process.stderr);
      progress.show(line, key);
      await sleep(pollIntervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return exitCodes.interrupted;
    }
  } finally {
    progress.end();
    stop.release();
  }
  const last = [...known.values()];
  if (json) printJson(last);
  return last.every(({ id, state }) => state === 'complete' && !gone.has(id)) ? exitCodes.ok : exitCodes.notAll;
}

/** The current state of the awaited transfers; null for a transfer that is no longer in the agent's list. */
async function currentStates(agent: AgentClient, pending: ReadonlySet<string>): Promise<Map<string, AgentTransfer | null>> {
  const found = new Map<string, AgentTransfer | null>();
  if (pending.size > fewTransfers) {
    for (const one of await unfinishedTransfers(agent)) if (pending.has(one.id)) found.set(one.id, one);
  }
  for (const id of pending) if (!found.has(id)) found.set(id, await current(agent, id));
  return found;
}

const current = (agent: AgentClient, id: string): Promise<AgentTransfer | null> =>
  agent.call('getTransfer', { params: { id } }).catch((error: unknown) => {
    if (error instanceof ApiError && error.error === 'not_found') return null;
    throw error;
  });

const endLine = (transfer: AgentTransfer, removed: boolean): string =>
  `${printable(transfer.name)}: ${removed ? 'removed from the list' : progressLine(transfer)}`;

/** All awaited transfers in one line; a single transfer in its usual line. */
function combinedProgress(transfers: readonly AgentTransfer[], sink: ProgressSink): { line: string; key: string } {
  const bar = hasRoomForBar(sink);
  const one = transfers[0]!;
  if (transfers.length === 1) return { line: progressLine(one, bar), key: `${one.state} ${one.waiting === null}` };
  const sum = (of: (transfer: AgentTransfer) => number): number => transfers.reduce((total, transfer) => total + of(transfer), 0);
  const [bytes, total, speed] = [
    sum((one) => Math.min(one.bytes, one.total_bytes)),
    sum((one) => one.total_bytes),
    sum((one) => one.bytes_per_second),
  ];
  const over = transfers.filter(hasEnded).length;
  const grows = transfers.some((one) => one.total_grows);
  const left = speed > 0 && !grows ? `, ${durationText((total - bytes) / speed)} left` : '';
  const amounts = `${amountText({ bytes, total, grows }, bar)}, ${speedText(speed)}${left}`;
  return { line: `${over} of ${countText(transfers.length, 'transfer')} over  ${amounts}`, key: String(over) };
}
