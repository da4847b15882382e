import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { parseDownloadLink } from '#client/link.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { jsonOption } from '../doors/agent.ts';
import type { Door } from '../doors/door.ts';
import { type DoorFlags, openDoor } from '../doors/open.ts';
import { addDoorOptions, doorHelp } from '../doors/options.ts';
import { runTransfer } from '../doors/run-transfer.ts';
import { checkReceiptPlace, receiptOption, saveReceipt } from '../doors/save-receipt.ts';
import { type End, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { readSecret } from '../options.ts';
import { bytesText, countText } from '../words.ts';
import { printJson } from './admin/print.ts';

interface GetFlags extends DoorFlags {
  readonly linkPassword?: string;
  readonly linkPasswordFile?: string;
  readonly receipt?: string;
  readonly json: boolean;
  readonly packageFolder: boolean;
}

const help = `
Examples:
  longshore get "https://files.example.com/d/019a…?secret=…" ~/Downloads
  pbpaste | longshore get - incoming/

Needs no account. The link stands in the process list while it runs; "-" reads it from stdin instead. Files that
are in the folder already are never overwritten.
${doorHelp}
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local', 'differs', 'receipt', 'interrupted'])}`;

/** `longshore get LINK [FOLDER]`: downloads the package behind a link. */
export function getCommand(end: End): Command {
  const command = new Command('get')
    .description('Downloads the package behind a link into a folder.')
    .argument('<link>', 'the download link, or - to read it from stdin')
    .argument('[folder]', 'where the files go; made if it is not there', '.')
    .addOption(new Option('--package-folder', "put the files into a folder of the package's name").default(false))
    .addOption(new Option('--link-password <password>', 'password of the link; shows in process lists').env('LONGSHORE_LINK_PASSWORD'))
    .addOption(new Option('--link-password-file <file>', 'file with that password').env('LONGSHORE_LINK_PASSWORD_FILE'))
    .addOption(receiptOption())
    .addOption(jsonOption());
  return addDoorOptions(command)
    .addHelpText('after', help)
    .action(async (given: string, folder: string, flags: GetFlags) => {
      const url = await readLink(given);
      const dstFolder = resolve(folder);
      if (flags.agentUrl === undefined) makeFolder(dstFolder);
      const password = readSecret(flags.linkPassword, flags.linkPasswordFile, "link's password");
      checkReceiptPlace(flags.receipt);
      const door = await openDoor(flags);
      const got = await runTransfer(
        door,
        async () =>
          (await unfinished(door, url, dstFolder)) ??
          door.transfers.download({
            url,
            dst_folder: dstFolder,
            create_package_folder: flags.packageFolder,
            ...(password === undefined ? {} : { password }),
          }),
        'download',
        undefined,
        ({ id }) => saveReceipt(door, id, flags.receipt),
      );
      if (typeof got === 'number') return end(got);
      if (flags.json) return printJson(got);
      process.stdout.write(`${countText(got.total_files, 'file')}, ${bytesText(got.total_bytes)}, in ${got.dst_folder}\n`);
    });
}

/** The link of an argument, `-` being stdin; one that is none is refused before anything is begun. */
export async function readLink(given: string, stdin: NodeJS.ReadableStream = process.stdin): Promise<string> {
  const link = given === '-' ? (await text(stdin)).trim() : given;
  parseDownloadLink(link);
  return link;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      { EEXIST: 'there is a file of this name', ENOTDIR: 'a part of the path is a file', EACCES: 'the permission is missing' }[
        code ?? ''
      ] ?? message;
    throw new CommandError(exitCodes.local, `The folder ${folder} cannot be made: ${why}. Choose another one.`, { cause });
  }
}

/** A download of the same link into the same folder that an earlier run left unfinished. */
async function unfinished(door: Door, link: string, folder: string): Promise<AgentTransfer | undefined> {
  if (door.agentUrl !== '') return undefined;
  const { linkId } = parseDownloadLink(link);
  const { records } = await door.transfers.list('download', { page: 1, limit: 500, state: ['queued', 'transferring'] });
  // The list holds links without their secrets.
  return records.find((one) => one.dst_folder === folder && one.url.includes(`/d/${encodeURIComponent(linkId)}`));
}
