import { Command } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../../agent-connection/agent-options.ts';
import { type End, exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError, exitCodeOf, sentenceOf } from '../../failure.ts';
import { printable } from '../../format.ts';
import { printJson } from '../admin/print.ts';
import { findAutomation } from './find.ts';

interface ActFlags extends AgentFlags {
  readonly all: boolean;
  readonly json: boolean;
}

interface Act {
  readonly name: 'run' | 'pause' | 'resume' | 'rm';
  readonly description: string;
  /** For example `Paused` "Renders". */
  readonly done: string;
  readonly note: string;
  one(agent: AgentClient, automation: Automation): Promise<unknown>;
}

const idOf = ({ id }: Automation) => ({ params: { id } });

const acts: readonly Act[] = [
  {
    name: 'run',
    description: 'Has automations look now.',
    done: 'Looks now:',
    note: 'What is still being written, or waits for its time of the week, goes on waiting.',
    one: (agent, automation) => agent.call('runAutomation', idOf(automation)),
  },
  {
    name: 'pause',
    description: 'Lets automations rest.',
    done: 'Paused',
    note: 'Transfers that they started go on. What appears meanwhile is found when they are resumed.',
    one: (agent, automation) => agent.call('pauseAutomation', idOf(automation)),
  },
  {
    name: 'resume',
    description: 'Lets automations that rest work again.',
    done: 'Goes on:',
    note: 'What was sent before is not sent again.',
    one: (agent, automation) => agent.call('resumeAutomation', idOf(automation)),
  },
  {
    name: 'rm',
    description: 'Removes automations.',
    done: 'Removed',
    note: 'Their files stay, and transfers that they started go on. What they sent is forgotten with them.',
    one: (agent, automation) => agent.call('deleteAutomation', idOf(automation)),
  },
];

/** `longshore automation run`, `pause`, `resume` and `rm`. */
export function actCommands(end: End): Command[] {
  return acts.map((act) => {
    const command = new Command(act.name)
      .description(act.description)
      .argument('[automation...]', 'names or ids, as `longshore automation ls` shows them')
      .option('--all', 'all of them', false)
      .addOption(jsonOption());
    return addAgentOptions(command)
      .addHelpText('after', helpOf(act))
      .action((given: string[], flags: ActFlags) => run(act, given, flags, end));
  });
}

const helpOf = ({ name, note }: Act): string => `
Examples:
  longshore automation ${name} Renders
  longshore automation ${name} --all

${note}
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'notAll'])}`;

async function run(act: Act, given: readonly string[], flags: ActFlags, end: End): Promise<void> {
  if (given.length > 0 === flags.all) throw new CommandError(exitCodes.usage, 'Give names of automations, or --all, and not both.');
  const agent = await openAgent(flags);
  const names = flags.all ? (await agent.call('listAutomations', {})).map(({ id }) => id) : given;
  const outcomes: { id: string; name: string; done: boolean; message: string }[] = [];
  for (const one of names) {
    let [id, name] = [one, one];
    try {
      const automation = await findAutomation(agent, one);
      ({ id, name } = automation);
      await act.one(agent, automation);
      outcomes.push({ id, name, done: true, message: '' });
      if (!flags.json) process.stdout.write(`${act.done} "${printable(name)}".\n`);
    } catch (error) {
      // With a single one the failure is the command's own. Without a reachable agent, further calls are useless.
      if (names.length === 1 || exitCodeOf(error) === exitCodes.unreachable) throw error;
      outcomes.push({ id, name, done: false, message: sentenceOf(error) });
      console.error(`longshore: "${printable(name)}": ${sentenceOf(error)}`);
    }
  }
  if (flags.json) printJson(outcomes);
  if (outcomes.some(({ done }) => !done)) end(exitCodes.notAll);
}
