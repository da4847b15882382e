import type { AgentClient } from '#client/agent.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';

/** States in which a transfer is not over. */
export const unfinishedStates = ['queued', 'transferring', 'paused', 'idle'] as const;

/** Refuses a command that names no transfers without `--all`, or names some with it. */
export function checkTransferArguments(given: readonly string[], all: boolean): void {
  if (given.length > 0 && all) throw new CommandError(exitCodes.usage, 'Give transfers, or --all, and not both.');
  if (given.length === 0 && !all) {
    throw new CommandError(exitCodes.usage, 'Say which transfer, by its id or name as `longshore ls` shows them, or give --all.');
  }
}

/**
 * Finds a transfer by its id, or by its name where the name is unique.
 *
 * @throws the agent's refusal, or CommandError where the name is that of none or of several
 */
export async function findTransfer(agent: AgentClient, given: string): Promise<AgentTransfer> {
  if (/^[0-9a-f-]{36}$/i.test(given)) return agent.call('getTransfer', { params: { id: given } });
  const { records } = await agent.call('listTransfers', { query: { page: 1, limit: 500, name: given } });
  const named = records.filter(({ name }) => name === given);
  if (named.length === 1) return named[0]!;
  if (named.length === 0) {
    throw new CommandError(exitCodes.notFound, `There is no transfer "${printable(given)}". \`longshore ls\` shows all.`);
  }
  const ids = named.slice(0, 5).map(({ id }) => id);
  throw new CommandError(exitCodes.usage, `${named.length} transfers are called "${printable(given)}". Give an id: ${ids.join(', ')}.`);
}

/** All transfers that are not over. */
export async function unfinishedTransfers(agent: AgentClient): Promise<AgentTransfer[]> {
  const found = new Map<string, AgentTransfer>();
  for (let page = 1; ; page += 1) {
    const { metadata, records } = await agent.call('listTransfers', { query: { page, limit: 500, state: [...unfinishedStates] } });
    for (const one of records) found.set(one.id, one);
    if (records.length === 0 || page * 500 >= metadata.total) return [...found.values()];
  }
}
