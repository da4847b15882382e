import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent, tokenOf } from '../agent-connection/agent-options.ts';
import { runningAgent } from '../agent-connection/connect.ts';
import { senderFor } from '../agent-connection/sender.ts';
import { exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';
import { parseUrl } from '../options.ts';
import { printJson } from './admin/print.ts';
import { chooseTeam } from './send.ts';

interface CreateFlags extends AgentFlags {
  readonly team?: string;
  readonly serviceUrl?: string;
  readonly expiry?: string;
  readonly description?: string;
  readonly output?: string;
  readonly json: boolean;
}

const help = `
Examples:
  longshore login mia@example.com
  longshore key create "Render farm" --output ~/.config/longshore/key
  longshore key create "Nightly dailies" --team harbour-films --expiry 2027-01-31

A key signs in programs and servers: longshore agent --api-key-file FILE. It has the permissions of the user that the
running agent is signed in as, by e-mail and password. It is shown only this once: on stdout, or in the file of
--output, which you alone may read.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'local'])}`;

/** `longshore key …`: API keys. */
export function keyCommand(): Command {
  return new Command('key')
    .description('API keys, for agents on servers and for programs.')
    .addCommand(createCommand())
    .addHelpText('after', '\nSee `longshore key create --help` for examples, options and exit codes.');
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Makes an API key as the user that the running agent is signed in as.')
    .argument('<name>', 'what the key is for, as it stands in the list of keys')
    .addOption(new Option('--team <team>', 'Team by id, name or subdomain (default: the only one)').env('LONGSHORE_TEAM'))
    .addOption(new Option('--expiry <date>', 'day or moment at which it ends (default: never)').argParser(parseMoment))
    .addOption(new Option('--description <text>', 'more about it'))
    .addOption(new Option('--output <file>', 'a new file for the key, in place of stdout'))
    .addOption(new Option('--service-url <url>', "the service (default: the agent's own)").env('LONGSHORE_SERVICE_URL').argParser(parseUrl))
    .addOption(jsonOption());
  return addAgentOptions(command)
    .addHelpText('after', help)
    .action(async (name: string, flags: CreateFlags) => {
      const agent = await runningAgent(flags.agentUrl, tokenOf(flags));
      const sender = await senderFor(agent, flags.serviceUrl ?? null);
      const team = chooseTeam(sender.teams, flags.team);
      const sessionId = sender.sessionFor(team.id);
      // Checked first: no key may be created that then cannot be saved.
      const file = flags.output === undefined ? null : await newFile(resolve(flags.output));
      try {
        const agent = await openAgent(flags);
        const made = await agent.call('createApiKey', {
          body: {
            name,
            team_id: team.id,
            ...(sessionId === undefined ? {} : { session_id: sessionId }),
            ...(flags.expiry === undefined ? {} : { expiry: flags.expiry }),
            ...(flags.description === undefined ? {} : { description: flags.description }),
          },
        });
        await file?.keep(`${made.key}\n`);
        if (flags.json) return printJson(file ? { ...made, key: undefined } : made);
        if (file) console.error(`Made the API key "${printable(made.name)}" for ${printable(team.name)}, in ${file.path}.`);
        else process.stdout.write(`${made.key}\n`);
      } catch (error) {
        await file?.discard();
        throw error;
      }
    });
}

/** A new file that only its owner can read. An existing file is not overwritten: it may hold a key in use. */
async function newFile(path: string): Promise<{ path: string; keep(text: string): Promise<void>; discard(): Promise<void> }> {
  try {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    return {
      path,
      async keep(text) {
        await file.writeFile(text);
        await file.sync();
        await file.close();
      },
      async discard() {
        await file.close().catch(() => undefined);
        await rm(path, { force: true });
      },
    };
  } catch (cause) {
    const taken = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const why = taken ? 'it is there already' : (cause as Error).message;
    throw new CommandError(exitCodes.local, `The file ${path} cannot be made: ${why}. Give another one by --output.`, { cause });
  }
}

function parseMoment(text: string): string {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw new InvalidArgumentError('Give a day (2027-01-31) or a moment (2027-01-31T18:00:00Z).');
  if (moment.getTime() <= Date.now()) throw new InvalidArgumentError('It lies in the past.');
  return moment.toISOString();
}
