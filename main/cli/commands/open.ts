import { Command, Option } from 'commander';
import { deepLinkLength, openPlace, parseDeepLink } from '#protocol/deep-link.ts';
import { exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { defaultAgentUrl, parseUrl } from '../options.ts';
import { printable } from '../words.ts';

interface OpenFlags {
  readonly agentUrl: string;
  readonly print?: boolean;
}

/** How long the agent has to say that it is there. */
const lookMilliseconds = 5_000;

const help = `
Examples:
  longshore open "longshore://download?url=https%3A%2F%2Ffiles.example.com%2Fd%2F019a…%3Fsecret%3D…"
  longshore open --print "longshore://portal-upload?service=https%3A%2F%2Ffiles.example.com&portal=northlight"

Nothing is sent or fetched by this: the agent's page opens in the browser, shows what the address asks for, and
leaves it to you. The desktop app takes such addresses by itself. Where it is not installed, a Linux desktop hands
them to this command with resources/linux/longshore-open.desktop in ~/.local/share/applications and

  xdg-mime default longshore-open.desktop x-scheme-handler/longshore
${exitCodesHelp(['ok', 'failure', 'usage', 'unreachable'])}`;

/** `longshore open`: shows a `longshore://` address in the page of a running agent. */
export function openCommand(launch: typeof openInBrowser = openInBrowser): Command {
  return new Command('open')
    .description('Opens a longshore:// address in the page of the running agent.')
    .argument('<address>', 'the address, as a page in a browser hands it over')
    .addOption(
      new Option('--agent-url <url>', 'the agent whose page opens').env('LONGSHORE_AGENT_URL').default(defaultAgentUrl).argParser(parseUrl),
    )
    .option('--print', 'print the address of the page instead of opening a browser')
    .addHelpText('after', help)
    .action(async (address: string, flags: OpenFlags) => {
      const page = `${flags.agentUrl}/${openPlace(checked(address))}`;
      await expectAgent(flags.agentUrl);
      if (flags.print) process.stdout.write(`${page}\n`);
      else await launch(page);
    });
}

/** The page checks it as well; here a mistake is said where it was made. */
function checked(address: string): string {
  const parsed = parseDeepLink(address);
  if ('link' in parsed) return address;
  throw new CommandError(exitCodes.usage, sentences[parsed.fault]('name' in parsed ? printable(parsed.name) : ''));
}

const sentences: Readonly<Record<Exclude<ReturnType<typeof parseDeepLink>, { link: unknown }>['fault'], (name: string) => string>> = {
  too_long: () => `The address is longer than ${deepLinkLength} characters.`,
  not_an_address: () => 'This is not an address for Longshore. It begins with longshore://download or longshore://portal-upload.',
  unknown_request: () => 'The address asks for something that this version does not know. A newer one may.',
  unknown_field: (name) => `The address has a field that this version does not know: ${name}. A newer one may.`,
  missing_field: (name) => `The address lacks its field ${name}. Take it as the page gave it.`,
  bad_field: (name) => `The field ${name} of the address cannot be used. Services are reached by https, and by http on this machine alone.`,
};

async function expectAgent(url: string): Promise<void> {
  try {
    const reply = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(lookMilliseconds), redirect: 'error' });
    if (reply.ok && ((await reply.json()) as { status?: unknown }).status === 'ok') return;
  } catch (cause) {
    const message = `No agent answers at ${url}. Start one with \`longshore agent\`, or check --agent-url.`;
    throw new CommandError(exitCodes.unreachable, message, { cause });
  }
  throw new CommandError(exitCodes.failure, `What answers at ${url} is not a Longshore agent. Check --agent-url.`);
}
