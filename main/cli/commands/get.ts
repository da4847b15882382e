import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { parseDownloadLink } from '#client/link.ts';
import { makeDirs } from '#filesystem/make-dirs.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { AgentHandle } from '../agent-connection/agent-handle.ts';
import { jsonOption } from '../agent-connection/agent-options.ts';
import { agentChoiceOf } from '../agent-connection/choose-agent.ts';
import { type AgentConnectionFlags, connectAgent } from '../agent-connection/connect.ts';
import { addAgentConnectionOptions, agentConnectionHelp } from '../agent-connection/connection-options.ts';
import { linkCodeOption, linkCodeTerminal, openWithCode } from '../agent-connection/link-code.ts';
import { missingEntryReporter } from '../agent-connection/missing-entries.ts';
import { runTransfer } from '../agent-connection/run-transfer.ts';
import { checkReceiptFile, receiptOption, saveReceipt } from '../agent-connection/save-receipt.ts';
import { type End, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { bytesText, countText } from '../format.ts';
import { dueOption, readSecret } from '../options.ts';
import { printJson } from './admin/print.ts';

interface GetFlags extends AgentConnectionFlags {
  readonly linkPassword?: string;
  readonly linkPasswordFile?: string;
  readonly code?: string;
  readonly due?: string;
  readonly receipt?: string;
  readonly json: boolean;
  readonly packageFolder: boolean;
  readonly allowHidden: boolean;
}

const help = `
Examples:
  longshore get "https://files.example.com/d/019a…?secret=…" ~/Downloads
  pbpaste | longshore get - incoming/

Needs no account. The link stands in the process list while it runs; "-" reads it from stdin instead. Files that
are in the folder already are never overwritten. Into the home folder itself, where programs take what begins with a
dot for their settings, such names come with --allow-hidden alone. Where the link asks for a code it is mailed to whom
the link is for; a terminal asks for it, and --code gives it.
${agentConnectionHelp}
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local', 'differs', 'receipt', 'interrupted'])}`;

/** `longshore get LINK [FOLDER]`: downloads the package behind a link. */
export function getCommand(end: End): Command {
  const command = new Command('get')
    .description('Downloads the package behind a link into a folder.')
    .argument('<link>', 'the download link, or - to read it from stdin')
    .argument('[folder]', 'where the files go; made if it is not there', '.')
    .addOption(new Option('--package-folder', "put the files into a folder of the package's name").default(false))
    .addOption(new Option('--allow-hidden', 'put names that begin with a dot into the home folder itself too').default(false))
    .addOption(new Option('--link-password <password>', 'password of the link; shows in process lists').env('LONGSHORE_LINK_PASSWORD'))
    .addOption(new Option('--link-password-file <file>', 'file with that password').env('LONGSHORE_LINK_PASSWORD_FILE'))
    .addOption(linkCodeOption())
    .addOption(dueOption())
    .addOption(receiptOption())
    .addOption(jsonOption());
  return addAgentConnectionOptions(command)
    .addHelpText('after', help)
    .action(async (given: string, folder: string, flags: GetFlags, self: Command) => {
      const { choice } = agentChoiceOf(self);
      const url = await readLink(given);
      const dstFolder = resolve(folder);
      if (choice.kind !== 'running') makeFolder(dstFolder);
      const password = readSecret(flags.linkPassword, flags.linkPasswordFile, "link's password");
      checkReceiptFile(flags.receipt);
      const agent = await connectAgent(choice, flags);
      const entries = missingEntryReporter(agent, { json: flags.json, skipFailed: false });
      const got = await runTransfer(
        agent,
        async () =>
          (await unfinished(agent, url, dstFolder)) ??
          openWithCode(
            {
              open: (code) =>
                agent.transfers.download({
                  url,
                  dst_folder: dstFolder,
                  create_package_folder: flags.packageFolder,
                  ...(flags.allowHidden ? { allow_hidden: true } : {}),
                  ...(password === undefined ? {} : { password }),
                  ...(code === undefined ? {} : { code }),
                  ...(flags.due === undefined ? {} : { due_at: flags.due }),
                }),
              mail: () => agent.transfers.mailLinkCode({ url, ...(password === undefined ? {} : { password }) }),
              ...linkCodeTerminal(),
            },
            flags.code,
          ),
        'download',
        undefined,
        {
          complete: async (complete) => {
            await entries.complete(complete);
            await saveReceipt(agent, complete.id, flags.receipt);
          },
          failed: entries.failed,
        },
      );
      if (typeof got === 'number') return end(got);
      if (flags.json) return printJson({ ...got, ...entries.read });
      process.stdout.write(`${countText(got.total_files, 'file')}, ${bytesText(got.total_bytes)}, in ${got.dst_folder}\n`);
    });
}

/** Reads the link argument; `-` reads stdin. A text that is not a link is refused before any work begins. */
export async function readLink(given: string, stdin: NodeJS.ReadableStream = process.stdin): Promise<string> {
  const link = given === '-' ? (await text(stdin)).trim() : given;
  parseDownloadLink(link);
  return link;
}

function makeFolder(folder: string): void {
  try {
    makeDirs(folder);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      {
        EEXIST: 'there is a file of this name',
        ENOENT: 'its file system takes no folder there',
        ENOTDIR: 'a part of the path is a file',
        EACCES: 'the permission is missing',
      }[code ?? ''] ?? message;
    throw new CommandError(exitCodes.local, `The folder ${folder} cannot be made: ${why}. Choose another one.`, { cause });
  }
}

/** An unfinished download of an earlier run: the same link into the same folder. */
async function unfinished(agent: AgentHandle, link: string, folder: string): Promise<AgentTransfer | undefined> {
  if (agent.url !== '') return undefined;
  const { linkId } = parseDownloadLink(link);
  const { records } = await agent.transfers.list('download', { page: 1, limit: 500, state: ['queued', 'transferring'] });
  // The list contains links without their secrets, so only the link id is compared.
  return records.find((one) => one.dst_folder === folder && one.url.includes(`/d/${encodeURIComponent(linkId)}`));
}
