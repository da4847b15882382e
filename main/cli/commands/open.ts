import { Command, Option } from 'commander';
import { deepLinkLength, openPlace, parseDeepLink } from '#protocol/deep-link.ts';
import { type TokenFlags, tokenFor } from '../agent-connection/agent-token.ts';
import { exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { defaultAgentUrl, parseUrl } from '../options.ts';

interface OpenFlags extends TokenFlags {
  readonly agentUrl: string;
  readonly print?: boolean;
}

/** Timeout for the agent's first answer. */
const probeTimeoutMs = 5_000;

const help = `
Examples:
  longshore open
  longshore open "longshore://download?url=https%3A%2F%2Ffiles.example.com%2Fd%2F019a…%3Fsecret%3D…"
  longshore open --print "longshore://portal-upload?service=https%3A%2F%2Ffiles.example.com&portal=northlight"

Without an address it opens the agent's page. Where the agent needs a token (--require-token, or it listens beyond this
machine), that of your own agent is used by itself: the page opens by an address that is good once, and for a minute.

Nothing is sent or fetched by this: the agent's page opens in the browser, shows what the address asks for, and
leaves it to you. The desktop app takes such addresses by itself. Where it is not installed, a Linux desktop hands
them to this command with resources/linux/longshore-open.desktop in ~/.local/share/applications and

  xdg-mime default longshore-open.desktop x-scheme-handler/longshore
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable'])}`;

/** `longshore open`: opens the page of a running agent, and shows a `longshore://` address there. */
export function openCommand(launch: typeof openInBrowser = openInBrowser): Command {
  return new Command('open')
    .description('Opens the page of the running agent, or a longshore:// address in it.')
    .argument('[address]', 'the address, as a page in a browser hands it over')
    .addOption(
      new Option('--agent-url <url>', 'the agent whose page opens').env('LONGSHORE_AGENT_URL').default(defaultAgentUrl).argParser(parseUrl),
    )
    .addOption(
      new Option('--agent-token <token>', 'its token, when it needs one and is not your own; shows in process lists').env(
        'LONGSHORE_AGENT_TOKEN',
      ),
    )
    .addOption(new Option('--agent-token-file <file>', 'file with that token').env('LONGSHORE_AGENT_TOKEN_FILE'))
    .option('--print', 'print the address of the page instead of opening a browser')
    .addHelpText('after', help)
    .action(async (address: string | undefined, flags: OpenFlags) => {
      const route = address === undefined ? '' : openPlace(checked(address));
      await expectAgent(flags.agentUrl);
      const page = `${flags.agentUrl}/${await signedInRoute(flags, route)}`;
      if (flags.print) process.stdout.write(`${page}\n`);
      else await launch(page);
    });
}

/** The page route as it is, or with the single-use code that replaces the agent's token. */
async function signedInRoute(flags: OpenFlags, route: string): Promise<string> {
  const token = tokenFor(flags.agentUrl, flags);
  if (token === undefined) return route;
  const { agentClient } = await import('../agent-connection/remote-agent.ts');
  const entry = await agentClient({ url: flags.agentUrl, token }).call('createPageAddress', {});
  return route === '' ? entry.place : `${entry.place}&to=${encodeURIComponent(route)}`;
}

/** The page checks the address as well. Checking here reports a mistake in the terminal where it was typed. */
function checked(address: string): string {
  const parsed = parseDeepLink(address);
  if ('link' in parsed) return address;
  throw new CommandError(exitCodes.usage, sentences[parsed.fault]('name' in parsed ? printable(parsed.name) : ''));
}

const sentences: Readonly<Record<Exclude<ReturnType<typeof parseDeepLink>, { link: unknown }>['fault'], (name: string) => string>> = {
  too_long: () => `The address is longer than ${deepLinkLength} characters.`,
  not_an_address: () =>
    'This is not an address for Longshore. It begins with longshore://download, longshore://portal-upload or longshore://continue.',
  unknown_request: () => 'The address asks for something that this version does not know. A newer one may.',
  unknown_field: (name) => `The address has a field that this version does not know: ${name}. A newer one may.`,
  missing_field: (name) => `The address lacks its field ${name}. Take it as the page gave it.`,
  bad_field: (name) => `The field ${name} of the address cannot be used. Services are reached by https, and by http on this machine alone.`,
};

async function expectAgent(url: string): Promise<void> {
  try {
    const reply = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(probeTimeoutMs), redirect: 'error' });
    if (reply.ok && ((await reply.json()) as { status?: unknown }).status === 'ok') return;
  } catch (cause) {
    const message = `No agent answers at ${url}. Start one with \`longshore agent\`, or check --agent-url.`;
    throw new CommandError(exitCodes.unreachable, message, { cause });
  }
  throw new CommandError(exitCodes.failure, `What answers at ${url} is not a Longshore agent. Check --agent-url.`);
}
