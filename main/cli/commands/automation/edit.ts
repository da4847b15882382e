import { Command, Option } from 'commander';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../../agent-connection/agent-options.ts';
import { exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { printable } from '../../format.ts';
import { printJson } from '../admin/print.ts';
import { findAutomation } from './find.ts';
import { addFieldOptions, type FieldFlags, fieldsOf } from './options.ts';
import { targetFields } from './targets.ts';

interface EditFlags extends AgentFlags, FieldFlags {
  readonly name?: string;
  readonly unset: readonly string[];
  readonly json: boolean;
}

const help = `
Examples:
  longshore automation edit Renders --include "*.mov" "*.mxf" --settle 60
  longshore automation edit Renders --name "Renders of the day" --unset include
  longshore automation export Renders > renders.yaml; $EDITOR renders.yaml; longshore automation add --file renders.yaml

What is not named stays as it is. --unset takes a field out, by its name in the file. The kind of an automation stays.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local'])}`;

/** `longshore automation edit` */
export function editCommand(): Command {
  const command = new Command('edit')
    .description('Changes an automation.')
    .argument('<automation>', 'its name or id, as `longshore automation ls` shows them')
    .addOption(new Option('--name <name>', 'its new name'))
    .addOption(new Option('--unset <field...>', 'fields to take out, for example include').default([]));
  return addAgentOptions(addFieldOptions(command).addOption(jsonOption()))
    .addHelpText('after', help)
    .action(async (given: string, flags: EditFlags, self: Command) => {
      const agent = await openAgent(flags);
      const { id, kind } = await findAutomation(agent, given);
      const { automationBodies } = await import('#protocol/agent/automations/automation.ts');
      const has = (field: string): boolean => Object.hasOwn(automationBodies[kind].properties, field);
      const change = {
        ...(flags.name !== undefined && { name: flags.name }),
        ...fieldsOf(self, kind, has),
        ...(await targetFields(agent, flags, has, false)),
        ...Object.fromEntries(flags.unset.map((field) => [field.replaceAll('-', '_'), null])),
      };
      if (Object.keys(change).length === 0) throw new CommandError(exitCodes.usage, 'Say what to change. See --help.');
      const changed = await agent.call('updateAutomation', { params: { id }, body: change as never });
      if (flags.json) return printJson(changed);
      process.stdout.write(`Changed "${printable(changed.name)}".\n`);
    });
}
