import { Command, InvalidArgumentError, Option } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import { hasEnded } from '#client/agent-transfers.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../agent-connection/agent-options.ts';
import { checkTransferArguments, findTransfer, unfinishedStates } from '../agent-connection/find-transfer.ts';
import { type End, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError, exitCodeOf, sentenceOf } from '../failure.ts';
import { countText, printable } from '../format.ts';
import { printJson } from './admin/print.ts';

interface ActFlags extends AgentFlags {
  readonly all: boolean;
  readonly json: boolean;
  readonly hours?: number;
}

/** Texts and work of one of these commands. */
interface Act {
  readonly name: 'pause' | 'resume' | 'retry' | 'cancel';
  readonly description: string;
  readonly allMeans: string;
  /** For example `Paused` "Day 12". */
  readonly done: string;
  readonly examples: readonly string[];
  readonly note: string;
  one(agent: AgentClient, transfer: AgentTransfer, flags: ActFlags): Promise<unknown>;
  /** Returns the sentence for a person and the result for a program. */
  all(agent: AgentClient, flags: ActFlags): Promise<AllDone>;
}

interface AllDone {
  readonly sentence: string;
  readonly result: Readonly<Record<string, unknown>>;
  readonly refused: number;
}

const idOf = ({ id }: AgentTransfer) => ({ params: { id } });
const hoursOf = ({ hours }: ActFlags) => ({ query: hours === undefined ? {} : { hours } });
const until = ({ hours }: ActFlags): string => (hours === undefined ? '' : ` for ${countText(hours, 'hour')}`);

const acts: readonly Act[] = [
  {
    name: 'pause',
    description: 'Pauses transfers of the running agent.',
    allMeans: 'all that run or wait, and those that come meanwhile',
    done: 'Paused',
    examples: ['longshore pause "Day 12"', 'longshore pause --all --hours 2'],
    note: 'They go on after --hours, else when they are resumed, also across restarts.',
    one: (agent, transfer, flags) => agent.call('pauseTransfer', { ...idOf(transfer), ...hoursOf(flags) }),
    all: async (agent, flags) => {
      await agent.call('pauseTransfers', hoursOf(flags));
      return { sentence: `Paused all transfers${until(flags)}.`, result: { all: true }, refused: 0 };
    },
  },
  {
    name: 'resume',
    description: 'Goes on with transfers that are paused.',
    allMeans: 'all that are paused',
    done: 'Goes on with',
    examples: ['longshore resume "Day 12"', 'longshore resume --all'],
    note: 'Nothing that has arrived is sent again.',
    one: (agent, transfer) => agent.call('resumeTransfer', idOf(transfer)),
    all: async (agent) => {
      await agent.call('resumeTransfers', {});
      return { sentence: 'All transfers go on.', result: { all: true }, refused: 0 };
    },
  },
  {
    name: 'retry',
    description: 'Tries transfers again that failed or were cancelled.',
    allMeans: 'all that failed',
    done: 'Tries again',
    examples: ['longshore retry 019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', 'longshore retry --all && longshore wait'],
    note: 'Each goes on where it stopped.',
    one: (agent, transfer) => agent.call('retryTransfer', idOf(transfer)),
    all: (agent) => actOnMatching(agent, 'retry', ['error'], 'Tries again'),
  },
  {
    name: 'cancel',
    description: 'Cancels transfers that are not over.',
    allMeans: 'all that are not over',
    done: 'Cancelled',
    examples: ['longshore cancel "Day 12"', 'longshore cancel --all --json'],
    note: 'They stay in the list, and `longshore retry` begins them anew. Those that are over stay as they are.',
    one: async (agent, transfer) => {
      if (hasEnded(transfer)) throw new CommandError(exitCodes.failure, 'It is over already, so there is nothing to cancel.');
      const { refused, reason } = await agent.call('actOnTransfers', { body: { action: 'cancel', ids: [transfer.id] } });
      if (refused > 0) throw new CommandError(exitCodes.failure, reason);
    },
    all: (agent) => actOnMatching(agent, 'cancel', unfinishedStates, 'Cancelled'),
  },
];

async function actOnMatching(
  agent: AgentClient,
  action: 'retry' | 'cancel',
  state: readonly AgentTransfer['state'][],
  done: string,
): Promise<AllDone> {
  const result = await agent.call('actOnTransfers', { body: { action, matching: { state: [...state] } } });
  const refused = result.refused === 0 ? '' : ` ${countText(result.refused, 'transfer')} could not be: ${printable(result.reason)}`;
  return { sentence: `${done} ${countText(result.done, 'transfer')}.${refused}`, result, refused: result.refused };
}

/** `longshore pause`, `resume`, `retry` and `cancel`. */
export function actCommands(end: End): Command[] {
  return acts.map((act) => {
    const command = new Command(act.name)
      .description(act.description)
      .argument('[transfer...]', 'ids or names, as `longshore ls` shows them')
      .addOption(new Option('--all', act.allMeans).default(false));
    if (act.name === 'pause') command.addOption(new Option('--hours <hours>', 'go on by themselves after so many').argParser(parseHours));
    return addAgentOptions(command.addOption(jsonOption()))
      .addHelpText('after', helpOf(act))
      .action((given: string[], flags: ActFlags) => run(act, given, flags, end));
  });
}

const helpOf = ({ examples, note }: Act): string => `
Examples:
${examples.map((example) => `  ${example}`).join('\n')}

${note}
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'notAll'])}`;

interface Outcome {
  readonly id: string;
  readonly name: string;
  readonly done: boolean;
  readonly message: string;
}

async function run(act: Act, given: readonly string[], flags: ActFlags, end: End): Promise<void> {
  checkTransferArguments(given, flags.all);
  const agent = await openAgent(flags);
  if (flags.all) {
    const { sentence, result, refused } = await act.all(agent, flags);
    if (flags.json) printJson(result);
    else process.stdout.write(`${sentence}\n`);
    if (refused > 0) end(exitCodes.notAll);
    return;
  }
  const outcomes: Outcome[] = [];
  for (const one of given) {
    let [id, name] = [one, one];
    try {
      const transfer = await findTransfer(agent, one);
      ({ id, name } = transfer);
      await act.one(agent, transfer, flags);
      outcomes.push({ id, name, done: true, message: '' });
      if (!flags.json) process.stdout.write(`${act.done} "${printable(name)}"${act.name === 'pause' ? until(flags) : ''}.\n`);
    } catch (error) {
      const code = exitCodeOf(error);
      // With a single transfer the failure is the command's own. Without a reachable agent, further calls are useless.
      if (given.length === 1 || code === exitCodes.unreachable) throw error;
      outcomes.push({ id, name, done: false, message: sentenceOf(error) });
      console.error(`longshore: "${printable(name)}": ${sentenceOf(error)}`);
    }
  }
  if (flags.json) printJson(outcomes);
  if (outcomes.some(({ done }) => !done)) end(exitCodes.notAll);
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && hours > 0 && hours <= 8_784) return hours;
  throw new InvalidArgumentError('Give hours above 0, at most 8784, for example 2 or 0.5.');
}
