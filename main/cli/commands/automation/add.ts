import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import type { Automation, AutomationKind } from '#protocol/agent/automations/automation.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../../agent-connection/agent-options.ts';
import { exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { countText, printable } from '../../format.ts';
import { printJson } from '../admin/print.ts';
import { folderOf } from './find.ts';
import { addFieldOptions, type FieldFlags, fieldsOf, kindNames, kindOf } from './options.ts';
import { targetFields } from './targets.ts';

interface AddFlags extends AgentFlags, FieldFlags {
  readonly file?: string;
  readonly paused: boolean;
  readonly json: boolean;
}

const help = `
Examples:
  longshore automation add team-upload Renders --folder ~/renders --to post@example.com
  longshore automation add portal-upload "Camera cart" --folder /media/cart --portal northlight \\
    --sender mia@example.com --package-per marker --marker "*.mhl" --form camera=A
  longshore automation add portal-download In --portal northlight --folder /media/incoming --subfolders sender,date
  longshore automation add --file automations.yaml

team-upload sends what appears in a folder to a Team, portal-upload through a Portal; portal-download fetches what comes
in through a Portal, all-portals-download through any Portal of a Team. \`longshore automation dry-run\` shows what one
would do. The file has what \`longshore automation export\` writes: automations are found by their names, those that are
there already are changed, and the same file again changes nothing.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local'])}`;

/** `longshore automation add` */
export function addCommand(): Command {
  const command = new Command('add')
    .description('Makes an automation, or those of a file.')
    .addArgument(new Argument('[kind]', 'what it does').choices(kindNames))
    .argument('[name]', 'its name, which no other one has')
    .addOption(new Option('--file <file>', 'a YAML file with automations'))
    .addOption(new Option('--paused', 'let it rest until it is resumed').default(false));
  return addAgentOptions(addFieldOptions(command).addOption(jsonOption()))
    .addHelpText('after', help)
    .action(async (kind: string | undefined, name: string | undefined, flags: AddFlags, self: Command) => {
      if (flags.file !== undefined && kind !== undefined)
        throw new CommandError(exitCodes.usage, 'Give a kind and a name, or --file, and not both.');
      if (flags.file !== undefined) return addFrom(flags.file, flags);
      if (kind === undefined || name === undefined) {
        throw new CommandError(
          exitCodes.usage,
          `Give a kind and a name, for example: longshore automation add team-upload Renders --folder ~/renders. The kinds are ${kindNames.join(', ')}.`,
        );
      }
      const made = await makeOne(await openAgent(flags), kindOf(kind), name, flags, self);
      if (flags.json) return printJson(made);
      process.stdout.write(`Made "${printable(made.name)}" (${made.state}): ${printable(folderOf(made))}\n`);
    });
}

async function makeOne(agent: AgentClient, kind: AutomationKind, name: string, flags: AddFlags, command: Command): Promise<Automation> {
  // Loaded lazily, as the agent's routes are.
  const { automationBodies } = await import('#protocol/agent/automations/automation.ts');
  const has = (field: string): boolean => Object.hasOwn(automationBodies[kind].properties, field);
  const fields = fieldsOf(command, kind, has);
  const { properties, required } = automationBodies[kind];
  // Nobody has to get a link.
  const chosen = { name, active: !flags.paused, ...(has('recipients') && { recipients: [] }), ...fields };
  const fromTarget = flags.portal === undefined ? ['team_id'] : ['team_id', 'portal_id'];
  const missing = required.find((field) => !Object.hasOwn(chosen, field) && !fromTarget.includes(field) && !hasDefault(properties, field));
  if (missing !== undefined) throw new CommandError(exitCodes.usage, `${optionOf[missing] ?? missing} is missing. See --help.`);
  const body = { ...chosen, ...(await targetFields(agent, flags, has, true)) };
  switch (kind) {
    case 'team_upload':
      return agent.call('createTeamUploadAutomation', { body: body as never });
    case 'portal_upload':
      return agent.call('createPortalUploadAutomation', { body: body as never });
    case 'portal_download':
      return agent.call('createPortalDownloadAutomation', { body: body as never });
    case 'all_portals_download':
      return agent.call('createAllPortalsDownloadAutomation', { body: body as never });
  }
}

const hasDefault = (properties: object, field: string): boolean => {
  const schema = (properties as Readonly<Record<string, object>>)[field];
  return schema !== undefined && 'default' in schema;
};

const optionOf: Readonly<Record<string, string>> = {
  folder: '--folder',
  dst_folder: '--folder',
  sender: '--sender',
  portal_id: '--portal',
};

async function addFrom(file: string, flags: AddFlags): Promise<void> {
  const yaml = readYamlFile(file);
  const { created, updated, unchanged, automations } = await (await openAgent(flags)).call('importAutomations', { body: { yaml } });
  if (flags.json) return printJson({ created, updated, unchanged, automations });
  process.stdout.write(`${countText(created, 'automation')} made, ${updated} changed, ${unchanged} as before.\n`);
}

/** The text of a file with automations. */
export function readYamlFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new CommandError(exitCodes.local, `The file ${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}
