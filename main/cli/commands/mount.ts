import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { AgentClient } from '#client/agent.ts';
import type { CreateMount, Mount } from '#protocol/agent/mounts.ts';
import { gatewayProviders } from '#protocol/providers.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent, tokenOf } from '../agent-connection/agent-options.ts';
import { runningAgent } from '../agent-connection/connect.ts';
import { senderFor } from '../agent-connection/sender.ts';
import { type End, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { bytesText, printable } from '../format.ts';
import { columns, printJson } from './admin/print.ts';
import { chooseTeam } from './send.ts';

interface MountFlags extends AgentFlags {
  readonly json: boolean;
}

interface AddFlags extends MountFlags {
  readonly team?: string;
  readonly connection?: string;
  readonly provider: NonNullable<CreateMount['provider']>;
  readonly collect: boolean;
  readonly readOnly: boolean;
  readonly name?: string;
}

const codes = ['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local'] as const;

/** `longshore mount …`: folders that a service reaches through the running agent. */
export function mountCommand(end: End): Command {
  return new Command('mount')
    .description('Folders of this machine (a NAS, a SAN, a disk) that the service delivers to and collects from.')
    .addCommand(addCommand())
    .addCommand(lsCommand())
    .addCommand(checkCommand(end))
    .addCommand(rmCommand())
    .addHelpText('after', '\nSee `longshore mount add --help` for examples, options and exit codes; docs/gateway.md for the whole.');
}

const addHelp = `
Examples:
  longshore mount add /mnt/nas/dailies
  longshore mount add /mnt/nas/dailies --team harbour-films --provider synology_sg --name "Dailies NAS"
  longshore mount add /mnt/archive --read-only
  longshore mount add /mnt/nas/dailies --connection 019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c

The first mount of a Team registers the agent as a storage gateway of that Team, which needs a running agent that is
signed in as an owner, admin or integration manager. The folder gets the file .longshore-mount, by which an unmounted
drive's empty folder is told from it. The connection's id goes wherever a cloud connection does, such as into a Portal.
${exitCodesHelp(codes)}`;

function addCommand(): Command {
  const command = new Command('add')
    .description('Makes a folder a mount, with a cloud connection to it.')
    .argument('<folder>', 'the folder; it and its disk have to be there')
    .addOption(new Option('--team <team>', 'Team by id, name or subdomain (default: the only one)').env('LONGSHORE_TEAM'))
    .addOption(new Option('--connection <id>', 'a connection of a gateway provider that is there (default: a new one)'))
    .addOption(new Option('--provider <provider>', "the new connection's kind").choices([...gatewayProviders]).default('storage_gateway'))
    .addOption(new Option('--name <name>', "the new connection's name (default: the folder's)"))
    .addOption(new Option('--collect', 'the new connection collects files instead of delivering packages').default(false))
    .addOption(new Option('--read-only', 'nothing is ever written to the folder; implies --collect').default(false))
    .addOption(jsonOption());
  return addAgentOptions(command)
    .addHelpText('after', addHelp)
    .action(async (folder: string, flags: AddFlags) => {
      const teamId = await teamOf(flags);
      const agent = await openAgent(flags);
      const made = await agent.call('createMount', {
        body: {
          team_id: teamId,
          path: resolve(folder),
          ...(flags.connection === undefined ? { provider: flags.provider } : { cloud_connection_id: flags.connection }),
          ...(flags.name === undefined ? {} : { name: flags.name }),
          ...(flags.collect ? { direction: 'cloud_to_service' as const } : {}),
          read_only: flags.readOnly,
        },
      });
      if (flags.json) return printJson(made);
      process.stdout.write(`${line(made)}\n`);
      console.error(`The connection "${printable(made.name)}" has the id ${made.cloud_connection_id}.`);
    });
}

async function teamOf(flags: AddFlags): Promise<string> {
  const handle = await runningAgent(flags.agentUrl, tokenOf(flags));
  try {
    return chooseTeam((await senderFor(handle, null)).teams, flags.team).id;
  } finally {
    await handle.close();
  }
}

function lsCommand(): Command {
  return addAgentOptions(
    new Command('ls').description('Lists the mounts, with their states and why one is offline.').addOption(jsonOption()),
  )
    .addHelpText('after', exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable']))
    .action(async (flags: MountFlags) => {
      const all = await (await openAgent(flags)).call('listMounts', {});
      if (flags.json) return printJson(all);
      if (all.length === 0) console.error('There are no mounts. Make one: longshore mount add FOLDER');
      for (const mount of all) process.stdout.write(`${line(mount)}\n`);
    });
}

function checkCommand(end: End): Command {
  return addAgentOptions(
    new Command('check')
      .description('Writes a small file into a mount, lists it, reads it back and removes it.')
      .argument('<mount>', 'its id, the beginning of it, its name or its folder')
      .addOption(jsonOption()),
  )
    .addHelpText('after', exitCodesHelp(codes))
    .action(async (wanted: string, flags: MountFlags) => {
      const agent = await openAgent(flags);
      const { id } = await mountFor(agent, wanted);
      const checked = await agent.call('checkMount', { params: { id } });
      if (flags.json) printJson(checked);
      else
        for (const { step, ok, message } of checked.steps)
          process.stdout.write(`${columns([step, 6], [ok ? 'ok' : 'failed', 6], [message, 0])}\n`);
      if (!checked.ok) end(exitCodes.failure);
    });
}

function rmCommand(): Command {
  return addAgentOptions(
    new Command('rm')
      .description('Removes a mount. Its folder stays, without the marker file; its connection stays and goes offline.')
      .argument('<mount>', 'its id, the beginning of it, its name or its folder'),
  )
    .addHelpText('after', exitCodesHelp(codes))
    .action(async (wanted: string, flags: AgentFlags) => {
      const agent = await openAgent(flags);
      const { id, path } = await mountFor(agent, wanted);
      await agent.call('deleteMount', { params: { id } });
      console.error(`Removed the mount of ${printable(path)}.`);
    });
}

async function mountFor(agent: AgentClient, wanted: string): Promise<Mount> {
  const all = await agent.call('listMounts', {});
  const folder = resolve(wanted);
  const named = all.filter((one) => one.id === wanted || one.name === wanted || one.path === wanted || one.path === folder);
  const found = named.length > 0 ? named : all.filter(({ id }) => wanted.length >= 4 && id.startsWith(wanted));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) throw new CommandError(exitCodes.usage, `Several mounts fit "${printable(wanted)}". Give the id of one.`);
  throw new CommandError(exitCodes.notFound, `There is no mount "${printable(wanted)}". See longshore mount ls.`);
}

function line({ id, name, path, state, reason, free_bytes: free, read_only: readOnly, tasks }: Mount): string {
  const facts = [
    readOnly ? 'read-only' : free === null ? '' : `${bytesText(free)} free`,
    tasks > 0 ? `${tasks} under way` : '',
    reason,
  ].filter((fact) => fact !== '');
  return columns([id, 36], [state, 7], [name, 20], [path, 0], [facts.join(', '), 0]);
}
