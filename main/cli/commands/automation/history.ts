import { Command, InvalidArgumentError, Option } from 'commander';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../../agent-connection/agent-options.ts';
import { exitCodesHelp } from '../../exit-codes.ts';
import { bytesText, printable } from '../../format.ts';
import { columns, printJson } from '../admin/print.ts';
import { findAutomation } from './find.ts';

interface HistoryFlags extends AgentFlags {
  readonly limit: number;
  readonly ledger: boolean;
  readonly search?: string;
  readonly json: boolean;
}

/** More are not told; the ledger has all. */
const mostResults = 100;

const help = `
Examples:
  longshore automation history Renders
  longshore automation history Renders --ledger --search A001

Without --ledger it lists what the automation did last, and what it asks; with it, each file or package that it knows as
sent or received, and so never takes again. The newest come first.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound'])}`;

/** `longshore automation history` */
export function historyCommand(): Command {
  const command = new Command('history')
    .description('Lists what an automation did, and what it knows as sent.')
    .argument('<automation>', 'its name or id, as `longshore automation ls` shows them')
    .addOption(new Option('--limit <count>', 'how many at most').default(10).argParser(parseLimit))
    .addOption(new Option('--ledger', 'what it knows as sent or received').default(false))
    .addOption(new Option('--search <text>', 'of the ledger, only paths with this text'))
    .addOption(jsonOption());
  return addAgentOptions(command)
    .addHelpText('after', help)
    .action(async (given: string, flags: HistoryFlags) =>
      flags.ledger || flags.search !== undefined ? ledger(given, flags) : results(given, flags),
    );
}

async function results(given: string, flags: HistoryFlags): Promise<void> {
  const agent = await openAgent(flags);
  const { id } = await findAutomation(agent, given);
  const results = await agent.call('listAutomationResults', { params: { id }, query: { limit: Math.min(flags.limit, mostResults) } });
  const questions = await agent.call('listAutomationQuestions', { params: { id } });
  if (flags.json) return printJson({ results, questions });
  for (const { at, kind, name, message } of results) {
    process.stdout.write(`${columns([at, 24], [kind, 8], [name, 0])}${message === '' ? '' : `  ${printable(message)}`}\n`);
  }
  for (const { entry, fields, asked_at: at } of questions) {
    const asked = fields.map(({ label, name }) => label || name).join(', ');
    process.stdout.write(`${columns([at, 24], ['asks', 8], [entry, 0])}  ${printable(asked)}\n`);
  }
  if (results.length + questions.length === 0) console.error('It has done nothing yet.');
}

async function ledger(given: string, flags: HistoryFlags): Promise<void> {
  const agent = await openAgent(flags);
  const { id } = await findAutomation(agent, given);
  const { metadata, records } = await agent.call('listAutomationLedger', {
    params: { id },
    query: { limit: flags.limit, ...(flags.search !== undefined && { search: flags.search }) },
  });
  if (flags.json) return printJson(records);
  for (const { at, state, path, size, message } of records) {
    process.stdout.write(`${columns([at, 24], [state, 9], [bytesText(size), 8], [path, 0])}${message ? `  ${printable(message)}` : ''}\n`);
  }
  if (metadata.total > records.length) console.error(`${records.length} of ${metadata.total}. Give a larger --limit, or --search.`);
  if (metadata.total === 0) console.error('The ledger is empty.');
}

function parseLimit(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1 && count <= 1_000) return count;
  throw new InvalidArgumentError('Give a number from 1 to 1000.');
}
