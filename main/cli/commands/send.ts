import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { AgentTeam } from '#protocol/agent/session.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { nameFrom } from '#protocol/names.ts';
import { type NoticeKind, noticeKinds } from '#protocol/notices.ts';
import type { AgentHandle } from '../agent-connection/agent-handle.ts';
import { jsonOption } from '../agent-connection/agent-options.ts';
import { agentChoiceOf } from '../agent-connection/choose-agent.ts';
import { type AgentConnectionFlags, connectAgent } from '../agent-connection/connect.ts';
import { addAgentConnectionOptions, agentConnectionHelp } from '../agent-connection/connection-options.ts';
import { missingEntryReporter } from '../agent-connection/missing-entries.ts';
import { runTransfer } from '../agent-connection/run-transfer.ts';
import { checkReceiptFile, receiptOption, saveReceipt } from '../agent-connection/save-receipt.ts';
import { senderFor } from '../agent-connection/sender.ts';
import { type End, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';
import { collectEmails, dueOption, readSecret } from '../options.ts';
import { printJson } from './admin/print.ts';

interface SendFlags extends AgentConnectionFlags {
  readonly team?: string;
  readonly to: readonly string[];
  readonly name?: string;
  readonly message?: string;
  readonly linkPassword?: string;
  readonly linkPasswordFile?: string;
  readonly due?: string;
  readonly notify?: readonly NoticeKind[];
  /** As the Team has chosen where it is left out. */
  readonly verifyRecipients?: boolean;
  readonly receipt?: string;
  readonly json: boolean;
  readonly skipFailed: boolean;
}

const help = `
Examples:
  longshore send dailies/
  longshore send A001.mov notes.pdf --name "Day 12" --to post@example.com producer@example.com
  longshore send render/ --service-url https://files.example.com --api-key-file ~/.config/longshore/key

Prints the download link on stdout, one line for each; progress goes to stderr. Where --service-url is given and an
agent does the work, its session with that service is used.

Where some files cannot be sent, such as unreadable ones, the others are sent, stderr names each that failed, and the
package stays open: mend what is wrong and send again, or give --skip-failed, which closes it without them. What is
left out on purpose, such as symbolic links and what systems leave for themselves, is named too. With --json both are
in the object (failed, left_out), also where the command fails.
${agentConnectionHelp}
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local', 'differs', 'receipt', 'interrupted'])}`;

/** `longshore send PATH…`: sends files and folders as a package. */
export function sendCommand(end: End): Command {
  const command = new Command('send')
    .description('Sends files and folders to a Team as one package, and prints its link.')
    .argument('<path...>', 'files and folders to send')
    .addOption(new Option('--team <team>', 'Team by id, name or subdomain (default: the only one)').env('LONGSHORE_TEAM'))
    .addOption(new Option('--to <address...>', 'e-mail addresses that get a link').argParser(collectEmails).default([]))
    .addOption(new Option('--name <name>', "the package's name (default: that of the first path)"))
    .addOption(new Option('--message <text>', "the package's description"))
    .addOption(
      new Option('--link-password <password>', 'password that the link asks for; shows in process lists').env('LONGSHORE_LINK_PASSWORD'),
    )
    .addOption(new Option('--link-password-file <file>', 'file with that password').env('LONGSHORE_LINK_PASSWORD_FILE'))
    .addOption(dueOption())
    .addOption(
      new Option(
        '--notify <kinds>',
        `what you are told of by mail: ${noticeKinds.join(',')}, or none (default: as the Team has chosen)`,
      ).argParser(parseNotify),
    )
    .addOption(new Option('--verify-recipients', 'ask each recipient for a code that is mailed to them (default: as the Team has chosen)'))
    .addOption(new Option('--no-verify-recipients', 'ask none of them for a code'))
    .addOption(new Option('--skip-failed', 'finalize the package without the files that failed').default(false))
    .addOption(receiptOption())
    .addOption(jsonOption());
  return addAgentConnectionOptions(command)
    .addHelpText('after', help)
    .action(async (given: string[], flags: SendFlags, self: Command) => {
      const { choice, serviceUrl } = agentChoiceOf(self);
      const paths = given.map((path) => resolve(path));
      const missing = paths.find((path) => !existsSync(path));
      // An agent on another machine may have paths that do not exist here.
      if (missing !== undefined && choice.kind !== 'running') {
        throw new CommandError(exitCodes.local, `There is no file or folder at ${missing}.`);
      }
      if (flags.verifyRecipients && flags.to.length === 0)
        throw new CommandError(exitCodes.usage, '--verify-recipients mails codes to the recipients: name them with --to.');
      const password = readSecret(flags.linkPassword, flags.linkPasswordFile, "link's password");
      const name = flags.name ?? nameFrom(basename(paths[0]!), 'Files');
      checkReceiptFile(flags.receipt);
      const agent = await connectAgent(choice, flags);
      const entries = missingEntryReporter(agent, flags);
      const sent = await runTransfer(
        agent,
        async () => {
          const sender = await senderFor(agent, serviceUrl);
          const team = chooseTeam(sender.teams, flags.team);
          const sessionId = sender.sessionFor(team.id);
          const earlier = await unfinished(agent, { teamId: team.id, name, paths });
          if (earlier) return earlier;
          return agent.transfers.upload({
            team_id: team.id,
            ...(sessionId === undefined ? {} : { session_id: sessionId }),
            paths,
            package_name: name,
            recipients: [...flags.to],
            ...(flags.message === undefined ? {} : { package_description: flags.message }),
            ...(password === undefined ? {} : { password }),
            ...(flags.due === undefined ? {} : { due_at: flags.due }),
            ...(flags.verifyRecipients === undefined ? {} : { verify_recipient: flags.verifyRecipients }),
            ...(flags.notify === undefined ? {} : { notify: [...flags.notify] }),
          });
        },
        'upload',
        undefined,
        {
          complete: async (complete) => {
            await entries.complete(complete);
            await saveReceipt(agent, complete.id, flags.receipt);
          },
          failed: entries.failed,
        },
      );
      if (typeof sent === 'number') return end(sent);
      if (flags.json) return printJson({ ...sent, ...entries.read });
      for (const line of linkLines(sent)) process.stdout.write(`${line}\n`);
    });
}

/** `downloaded,expires`, or `none`. */
export function parseNotify(text: string): readonly NoticeKind[] {
  const wanted = text.split(',').map((kind) => kind.trim());
  if (wanted.length === 1 && wanted[0] === 'none') return [];
  const unknown = wanted.find((kind) => !noticeKinds.some((one) => one === kind));
  if (unknown !== undefined) throw new InvalidArgumentError(`Give some of ${noticeKinds.join(', ')}, with commas between them, or none.`);
  return noticeKinds.filter((kind) => wanted.includes(kind));
}

/** The chosen Team, by id, subdomain or name; without a value, the only Team. */
export function chooseTeam(teams: readonly AgentTeam[], wanted: string | undefined): AgentTeam {
  const names = teams.map((team) => `"${printable(team.name)}"`).join(', ');
  if (wanted === undefined) {
    if (teams.length === 1) return teams[0]!;
    if (teams.length === 0) throw new CommandError(exitCodes.credential, 'This user is in no Team. Ask a Team owner to be added.');
    throw new CommandError(exitCodes.usage, `Choose a Team with --team: ${names}.`);
  }
  const found = teams.filter((team) => team.id === wanted || team.subdomain === wanted || team.name.toLowerCase() === wanted.toLowerCase());
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new CommandError(exitCodes.usage, `Several Teams are called "${wanted}". Give the subdomain or id with --team.`);
  throw new CommandError(exitCodes.usage, `There is no Team "${wanted}". Yours: ${names || 'none'}.`);
}

/** An unfinished upload of an earlier run: the same paths under the same name. */
async function unfinished(
  agent: AgentHandle,
  wanted: { teamId: string; name: string; paths: string[] },
): Promise<AgentTransfer | undefined> {
  // A running agent continues its uploads by itself, and this one may belong to another person.
  if (agent.url !== '') return undefined;
  const { records } = await agent.transfers.list('upload', { page: 1, limit: 500, state: ['queued', 'transferring'] });
  return records.find(
    (one) => one.team_id === wanted.teamId && one.name === wanted.name && JSON.stringify(one.paths) === JSON.stringify(wanted.paths),
  );
}

/** Links for scripts: the bare link if there is one without a recipient, otherwise each link with its recipient. */
export function linkLines({ url, links }: Pick<AgentTransfer, 'url' | 'links'>): string[] {
  const personal = links.filter((link) => link.email !== '');
  if (personal.length === 0) return url === '' ? [] : [url];
  return personal.map((link) => `${link.url}\t${printable(link.email)}`);
}
