import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import type { HandoverMatch } from '#protocol/agent/handovers.ts';
import { parseDeepLink } from '#protocol/deep-link.ts';
import { jsonOption } from '../agent-connection/agent-options.ts';
import { agentChoiceOf } from '../agent-connection/choose-agent.ts';
import { type AgentConnectionFlags, connectAgent } from '../agent-connection/connect.ts';
import { addAgentConnectionOptions, agentConnectionHelp } from '../agent-connection/connection-options.ts';
import { missingEntryReporter } from '../agent-connection/missing-entries.ts';
import { runTransfer } from '../agent-connection/run-transfer.ts';
import { type End, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { bytesText, countText, printable } from '../format.ts';
import { printJson } from './admin/print.ts';

interface ContinueFlags extends AgentConnectionFlags {
  readonly from: readonly string[];
  readonly to: string;
  readonly json: boolean;
  readonly packageFolder: boolean;
  readonly skipFailed: boolean;
}

const help = `
Examples:
  longshore continue "longshore://continue?service=…&code=…" --from /media/A001
  pbpaste | longshore continue - --to incoming/

The page shows the link under "Continue in the app". It is good for 10 minutes, and once. Of an upload only the files
that the browser had are sent, and only those that are unchanged by path, size and time; what the storage has confirmed
is not sent again. Those that have changed or are missing are named on stderr and not sent: the package stays open for
them, or --skip-failed closes it without them. Of a download all that was chosen is fetched. What is interrupted where
no agent runs goes on by the same command with the same link, or as soon as an agent runs.
${agentConnectionHelp}
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local', 'differs', 'interrupted'])}`;

/** `longshore continue LINK`: goes on with a transfer that a browser has begun. */
export function continueCommand(end: End): Command {
  const command = new Command('continue')
    .description('Goes on with a transfer that was begun in a browser.')
    .argument('<link>', 'the longshore://continue link of the page, or - to read it from stdin')
    .addOption(new Option('--from <path...>', 'uploads: where the files are (default: the current folder)').default([]))
    .addOption(new Option('--to <folder>', 'downloads: where the files go').default('.'))
    .addOption(new Option('--package-folder', "downloads: put the files into a folder of the package's name").default(false))
    .addOption(new Option('--skip-failed', 'uploads: finalize the package without the files that failed').default(false))
    .addOption(jsonOption());
  return addAgentConnectionOptions(command)
    .addHelpText('after', help)
    .action(async (given: string, flags: ContinueFlags, self: Command) => {
      const { choice } = agentChoiceOf(self);
      const link = await readHandoverLink(given);
      const agent = await connectAgent(choice, flags);
      const entries = missingEntryReporter(agent, flags);
      const done = await runTransfer(
        agent,
        async () => {
          const earlier = await agent.handovers.find(link);
          if (earlier?.state === 'error' && !flags.skipFailed) await agent.transfers.retry(earlier.id);
          if (earlier) return agent.transfers.get(earlier.id);
          const preview = await agent.handovers.preview(link);
          if (preview.kind === 'download') {
            return agent.handovers.continue({ link, dst_folder: resolve(flags.to), create_package_folder: flags.packageFolder });
          }
          const paths = (flags.from.length === 0 ? ['.'] : flags.from).map((path) => resolve(path));
          tellMatch(await agent.handovers.match({ link, paths }));
          return agent.handovers.continue({ link, paths });
        },
        'transfer',
        undefined,
        { complete: entries.complete, failed: entries.failed },
      );
      if (typeof done === 'number') return end(done);
      if (flags.json) return printJson({ ...done, ...entries.read });
      const where = done.kind === 'download' ? `, in ${done.dst_folder}` : '';
      process.stdout.write(`${countText(done.total_files, 'file')}, ${bytesText(done.total_bytes)}${where}\n`);
      for (const { url } of done.links) process.stdout.write(`${url}\n`);
    });
}

/** Reads the link argument; `-` reads stdin. Another text is refused before any work begins. */
export async function readHandoverLink(given: string, stdin: NodeJS.ReadableStream = process.stdin): Promise<string> {
  const link = given === '-' ? (await text(stdin)).trim() : given.trim();
  const parsed = parseDeepLink(link);
  if ('link' in parsed && parsed.link.kind === 'continue') return link;
  throw new CommandError(exitCodes.usage, 'This is not a link to continue. It begins with longshore://continue; copy it from the page.');
}

/** Names what is not as the browser had it. */
function tellMatch({ found, changed, missing, sent, others }: HandoverMatch): void {
  console.error(`${countText(found, 'file')} found, ${sent} sent already, ${changed} changed, ${missing} missing.`);
  for (const { path, state } of others) console.error(`  ${state}: ${printable(path)}`);
}
