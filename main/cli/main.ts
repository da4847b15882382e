import { Command, CommanderError } from 'commander';
import { readVersion } from '../version.ts';
import { actCommands } from './commands/act.ts';
import { adminCommand } from './commands/admin.ts';
import { agentCommand } from './commands/agent.ts';
import { automationCommand } from './commands/automation.ts';
import { completionCommand } from './commands/completion.ts';
import { continueCommand } from './commands/continue.ts';
import { getCommand } from './commands/get.ts';
import { helpCommand } from './commands/help.ts';
import { keyCommand } from './commands/key.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { lsCommand } from './commands/ls.ts';
import { mountCommand } from './commands/mount.ts';
import { openCommand } from './commands/open.ts';
import { providerCommand } from './commands/provider.ts';
import { sendCommand } from './commands/send.ts';
import { serviceCommand } from './commands/service.ts';
import { statusCommand } from './commands/status.ts';
import { verifyCommand } from './commands/verify.ts';
import { waitCommand } from './commands/wait.ts';
import { type End, type ExitCode, exitCodes, exitCodesHelp } from './exit-codes.ts';
import { exitCodeOf, sentenceOf } from './failure.ts';
import { forgetEmptyVariables } from './options.ts';
import { readVariableFiles } from './variable-files.ts';

/**
 * Runs one command line.
 *
 * @param args without program and script
 * @returns the exit code
 */
export async function main(args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const end: End = (ended) => {
    code = ended;
  };
  const program = new Command('longshore')
    .description('Moves large files between people and storage.')
    .version(readVersion())
    // A command with commands below it may have options of the same names.
    .enablePositionalOptions()
    .addCommand(serviceCommand())
    .addCommand(agentCommand())
    .addCommand(sendCommand(end))
    .addCommand(getCommand(end))
    .addCommand(continueCommand(end))
    .addCommand(lsCommand())
    .addCommand(statusCommand())
    .addCommand(waitCommand(end))
    .addCommand(automationCommand(end))
    .addCommand(loginCommand())
    .addCommand(logoutCommand())
    .addCommand(keyCommand())
    .addCommand(verifyCommand(end))
    .addCommand(openCommand())
    .addCommand(adminCommand())
    .addCommand(providerCommand(end))
    .addCommand(mountCommand(end))
    .addHelpText('after', exitCodesHelp(Object.keys(exitCodes) as (keyof typeof exitCodes)[]))
    .addHelpText('after', '\n`longshore help COMMAND` shows the options, examples and environment variables of a command.');
  for (const command of actCommands(end)) program.addCommand(command);
  program.addCommand(completionCommand(() => program)).addCommand(helpCommand(() => program));
  const commands = [...withInner(program)];
  for (const command of commands) {
    command.exitOverride().showHelpAfterError('See --help for how to use it.').helpCommand(false);
  }
  forgetEmptyVariables(commands, process.env);
  try {
    readVariableFiles(process.env);
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed its error message or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    console.error(`longshore: ${sentenceOf(error)}`);
    return exitCodeOf(error);
  }
}

/** A command and all its subcommands. */
function* withInner(command: Command): Generator<Command> {
  yield command;
  for (const inner of command.commands) yield* withInner(inner);
}
