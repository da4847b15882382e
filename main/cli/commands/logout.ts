import { Command, Option } from 'commander';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { type AgentFlags, addAgentOptions, jsonOption, openAgent } from '../agent-connection/agent-options.ts';
import { exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';
import { printJson } from './admin/print.ts';

interface LogoutFlags extends AgentFlags {
  readonly all: boolean;
  readonly json: boolean;
}

const help = `
Examples:
  longshore logout
  longshore logout https://files.other.example.com
  longshore logout --all

Uploads that need the session wait until somebody signs in again; downloads go on.
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound'])}`;

/** `longshore logout [SESSION]`: signs the running agent out. */
export function logoutCommand(): Command {
  const command = new Command('logout')
    .description('Signs the running agent out.')
    .argument('[session]', 'which one, by id, e-mail or service as `longshore status` shows them (default: the only one)')
    .addOption(new Option('--all', 'end all sessions').default(false))
    .addOption(jsonOption());
  return addAgentOptions(command)
    .addHelpText('after', help)
    .action(async (given: string | undefined, flags: LogoutFlags) => {
      if (given !== undefined && flags.all) throw new CommandError(exitCodes.usage, 'Give a session, or --all, and not both.');
      const agent = await openAgent(flags);
      const ended = chooseSessions(await agent.call('listSessions', {}), given, flags.all);
      for (const { id } of ended) await agent.call('deleteSession', { params: { id } });
      if (flags.json) return printJson(ended);
      for (const session of ended) process.stdout.write(`Signed out: ${sessionText(session)}.\n`);
      if (ended.length === 0) console.error('Nobody is signed in.');
    });
}

/** `mia@example.com at https://files.example.com`. */
export const sessionText = ({ user, service_url: url }: Pick<SignedIn, 'user' | 'service_url'>): string =>
  `${user === null ? 'an API key' : printable(user.email)} at ${printable(url)}`;

/** The chosen sessions: all, the named one, or the only one. */
function chooseSessions(sessions: readonly SignedIn[], given: string | undefined, all: boolean): readonly SignedIn[] {
  if (all) return sessions;
  const list = sessions.map((session) => `${session.id} (${sessionText(session)})`).join(', ');
  if (given === undefined) {
    if (sessions.length > 1) throw new CommandError(exitCodes.usage, `Say which session, or give --all: ${list}.`);
    if (sessions.length === 0) throw new CommandError(exitCodes.credential, 'Nobody is signed in, so nobody was signed out.');
    return sessions;
  }
  const url = given.replace(/\/+$/, '');
  const meant = sessions.filter(({ id, user, service_url }) => id === given || user?.email === given || service_url === url);
  if (meant.length === 1) return meant;
  if (meant.length > 1) throw new CommandError(exitCodes.usage, `Several sessions are "${printable(given)}". Give an id: ${list}.`);
  throw new CommandError(exitCodes.notFound, `There is no session "${printable(given)}". There are: ${list || 'none'}.`);
}
