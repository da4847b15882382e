import { Command, Option } from 'commander';
import { parseDownloadLink } from '#client/link.ts';
import type { TransferDeadline } from '#protocol/agent/deadline.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { plainFetcher } from '../../plain-fetcher.ts';
import { type AgentFlags, addAgentOptions, tokenOf } from '../agent-connection/agent-options.ts';
import { runningAgent } from '../agent-connection/connect.ts';
import { linkCodeOption, linkCodeTerminal, openWithCode } from '../agent-connection/link-code.ts';
import { exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { bytesText, countText, momentText, printable } from '../format.ts';
import { readSecret } from '../options.ts';
import { progressLine } from '../progress.ts';
import { printJson } from './admin/print.ts';
import { readLink } from './get.ts';

interface LsFlags extends AgentFlags {
  readonly linkPassword?: string;
  readonly linkPasswordFile?: string;
  readonly code?: string;
  readonly json: boolean;
  readonly search?: string;
}

const help = `
Examples:
  longshore ls
  longshore ls "https://files.example.com/d/019a…?secret=…"
  longshore ls --search A001C003
  longshore ls --json | jq -r '.[] | select(.state == "error") | .name'

Without a link it lists the transfers of a running agent, with the deadlines of those that have one; with a link, the
files behind it. --search finds transfers by a part of their name, of a recipient, of the Portal, or of the name of a file
(from three characters on).
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound'])}`;

/** `longshore ls [LINK]`: lists transfers, or the content of a link. */
export function lsCommand(): Command {
  const command = new Command('ls')
    .description("Lists the agent's transfers, or the files behind a link.")
    .argument('[link]', 'a download link, or - to read it from stdin')
    .addOption(new Option('--search <text>', 'only transfers in which this occurs: name, recipients, Portal, names of files'))
    .addOption(new Option('--json', 'print JSON').default(false))
    .addOption(new Option('--link-password <password>', 'password of the link').env('LONGSHORE_LINK_PASSWORD'))
    .addOption(new Option('--link-password-file <file>', 'file with that password').env('LONGSHORE_LINK_PASSWORD_FILE'));
  command.addOption(linkCodeOption());
  return addAgentOptions(command)
    .addHelpText('after', help)
    .action((link: string | undefined, flags: LsFlags) => {
      if (link === undefined) return listTransfers(flags);
      if (flags.search !== undefined)
        throw new CommandError(exitCodes.usage, '--search looks through the transfers of the agent, not behind a link.');
      return listLink(link, flags);
    });
}

async function listTransfers(flags: LsFlags): Promise<void> {
  const agent = await runningAgent(flags.agentUrl, tokenOf(flags));
  const records: AgentTransfer[] = [];
  const query = { page: 1, limit: 500, sort: '-created_at', ...(flags.search ? { search: flags.search } : {}) } as const;
  for (let after = ''; ; ) {
    const { records: some, next = '' } = await agent.transfers.list('all', after === '' ? query : { ...query, after });
    records.push(...some);
    if (next === '') break;
    after = next;
  }
  if (flags.json) return printJson(records);
  for (const one of records) {
    process.stdout.write(`${one.kind === 'upload' ? '↑' : '↓'} ${printable(one.name)}  ${progressLine(one)}\n`);
    if (one.deadline) process.stdout.write(`  ${dueLine(one.deadline)}\n`);
    const location = one.kind === 'upload' ? one.url : one.dst_folder;
    process.stdout.write(`  ${one.id}${location === '' ? '' : `  ${printable(location)}`}\n`);
  }
  if (records.length === 0) console.error(flags.search ? `Nothing found for "${printable(flags.search)}".` : 'No transfers yet.');
}

/** A transfer's deadline as one line. */
export const dueLine = ({ due_at: due, message }: TransferDeadline): string =>
  `Due ${momentText(due)}${message === '' ? '' : `: ${printable(message)}`}`;

async function listLink(given: string, flags: LsFlags): Promise<void> {
  const { baseUrl, linkId, secret } = parseDownloadLink(await readLink(given));
  const password = readSecret(flags.linkPassword, flags.linkPasswordFile, "link's password");
  const { createHostedClient } = await import('#client/hosted.ts');
  const link = createHostedClient({ baseUrl, fetcher: plainFetcher });
  const at = { params: { link_id: linkId }, query: { secret } };
  const info = await openWithCode(
    {
      open: (code) => link.as({ kind: 'link', password, code }).call('openLink', at),
      mail: () => link.as({ kind: 'link', password }).call('createLinkCode', at),
      ...linkCodeTerminal(),
    },
    flags.code,
  );
  const files = await link
    .as({ kind: 'package', token: info.package_token })
    .call('listFiles', { params: { package_id: info.package_id } });
  const real = files.filter((one) => one.kind === 'file' || one.kind === 'directory');
  if (flags.json) return printJson(real);
  console.error(
    `${printable(info.name)}, ${countText(real.length, 'entry', 'entries')}, ${bytesText(info.package_size)}, until ${info.expiry.slice(0, 10)}`,
  );
  for (const one of real) {
    const path = printable([one.path, one.name].filter(Boolean).join('/'));
    process.stdout.write(one.kind === 'directory' ? `${''.padStart(8)}  ${path}/\n` : `${bytesText(one.size ?? 0).padStart(8)}  ${path}\n`);
  }
}
