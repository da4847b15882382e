import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, Option } from 'commander';
import { type ExitCode, exitCodes, exitCodesHelp } from '../cli/exit-codes.ts';
import { exitCodeOf, sentenceOf } from '../cli/failure.ts';
import { stopRequest } from '../cli/signals.ts';
import { absolutePath, defaultDataDir } from '../folders.ts';
import { run } from './run.ts';

/** `npm start`: shows a complete crossing on this machine, and keeps running. */

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

const help = `
Starts a service and an agent, makes the first Team and its owner, sends the folder as a package, downloads it again
with a second agent, compares every byte, and stays up until Ctrl-C. A second start finds its data again.
${exitCodesHelp(['ok', 'failure', 'usage', 'unreachable', 'local', 'interrupted'])}`;

export async function main(args: readonly string[]): Promise<ExitCode> {
  const program = new Command('npm start --')
    .description('Carries a folder through a whole Longshore on this machine.')
    .argument('[path]', "folder or file to send (default: the project's docs)")
    .addOption(new Option('--once', 'end after the crossing; exit code 1 if any byte differs').default(false))
    .addOption(new Option('--data-dir <folder>', 'where to keep data').env('LONGSHORE_DATA_DIR').default(defaultDataDir()))
    .addOption(new Option('--allow-private-connections', 'cloud connections may lead to this machine and private networks').default(false))
    .addHelpText('after', help)
    .exitOverride();
  const stop = stopRequest();
  const stopping = new AbortController();
  void stop.asked.then((why) => stopping.abort(new Error(why)));
  try {
    program.parse(args, { from: 'user' });
    const { once, dataDir, allowPrivateConnections } = program.opts<{ once: boolean; dataDir: string; allowPrivateConnections: boolean }>();
    return await run({
      path: program.args[0] === undefined ? docs : resolve(program.args[0]),
      dataDir: absolutePath(dataDir, process.cwd()),
      once,
      allowPrivateConnections,
      env: process.env,
      signal: stopping.signal,
      say: (text) => process.stdout.write(`${text}\n`),
      elapsed: () => performance.now(),
    });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    console.error(`npm start: ${sentenceOf(error)}`);
    return exitCodeOf(error);
  } finally {
    stop.release();
  }
}
