import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

/** The program that opens an address in the default browser, for each system. No shell interprets the address. */
export function browserCommand(platform: NodeJS.Platform, url: string): readonly [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', url];
    default:
      return ['xdg-open', url];
  }
}

/**
 * Opens a web address in the default browser. Returns once the system has accepted it.
 *
 * @throws CommandError where there is no such program or it fails
 */
export async function openInBrowser(url: string, command = browserCommand(process.platform, url)): Promise<void> {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: 'ignore' });
  const code = await once(child, 'exit').then(
    ([exited]) => exited as number | null,
    (cause: unknown) => {
      throw new CommandError(exitCodes.failure, `${program} is not there to open a browser. Use --print and open the address yourself.`, {
        cause,
      });
    },
  );
  // The exit code of rundll32 has no meaning.
  if (code !== 0 && program !== 'rundll32') {
    throw new CommandError(exitCodes.failure, `${program} could not open a browser. Use --print and open the address yourself.`);
  }
}
