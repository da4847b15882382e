import { Command } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../../agent-connection/agent-options.ts';
import { exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { countText, printable } from '../../format.ts';
import { printJson } from '../admin/print.ts';
import { findAutomation } from './find.ts';

interface ForgetFlags extends AgentFlags {
  readonly all: boolean;
  readonly json: boolean;
}

const help = `
Examples:
  longshore automation forget Renders day1/A001.mov
  longshore automation forget Renders day1
  longshore automation forget Renders --all

Takes entries out of what an automation knows as sent or received, so that what is still there counts as new. What is
under way stays. Paths are those of \`longshore automation history --ledger\`; a folder means all below it.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound'])}`;

/** `longshore automation forget` */
export function forgetCommand(): Command {
  const command = new Command('forget')
    .description('Has an automation send or fetch something again.')
    .argument('<automation>', 'its name or id, as `longshore automation ls` shows them')
    .argument('[path...]', 'files, folders or packages')
    .option('--all', 'all that it knows', false)
    .addOption(jsonOption());
  return addAgentOptions(command).addHelpText('after', help).action(forget);
}

/** Entries in one call at most. */
const mostAtOnce = 10_000;

async function forget(given: string, paths: readonly string[], { all, json, ...flags }: ForgetFlags): Promise<void> {
  if (paths.length > 0 === all) throw new CommandError(exitCodes.usage, 'Give paths, or --all, and not both.');
  const agent = await openAgent(flags);
  const { id, name } = await findAutomation(agent, given);
  let forgotten = 0;
  if (all) ({ forgotten } = await agent.call('forgetAutomationEntries', { params: { id }, body: { all } }));
  else {
    const ids = new Set<string>();
    for (const path of paths) {
      const found = await entriesAt(agent, id, path.replace(/\/+$/, ''));
      if (found.length === 0)
        throw new CommandError(exitCodes.notFound, `"${printable(name)}" knows nothing of "${printable(path)}". See its history --ledger.`);
      for (const entry of found) ids.add(entry);
    }
    const every = [...ids];
    for (let at = 0; at < every.length; at += mostAtOnce) {
      const body = { ids: every.slice(at, at + mostAtOnce) };
      forgotten += (await agent.call('forgetAutomationEntries', { params: { id }, body })).forgotten;
    }
  }
  if (json) return printJson({ forgotten });
  process.stdout.write(`Forgot ${countText(forgotten, 'entry', 'entries')} of "${printable(name)}".\n`);
}

/** The ids of the entry at a path, and of all below it. */
async function entriesAt(agent: AgentClient, id: string, path: string): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const query = { search: path, limit: 1_000, ...(after === undefined ? {} : { after }) };
    const { records } = await agent.call('listAutomationLedger', { params: { id }, query });
    found.push(...records.filter((one) => one.path === path || one.path.startsWith(`${path}/`)).map((one) => one.id));
    after = records.at(-1)?.id;
    if (after === undefined || records.length < query.limit) return found;
  }
}
