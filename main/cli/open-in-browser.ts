import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

/** The program by which each system opens an address in the person's browser. No shell reads the address. */
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
 * Opens a web address in the person's browser, and returns once the system has taken it.
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
  // rundll32 says nothing by its code.
  if (code !== 0 && program !== 'rundll32') {
    throw new CommandError(exitCodes.failure, `${program} could not open a browser. Use --print and open the address yourself.`);
  }
}
