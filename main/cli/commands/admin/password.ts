import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import { exitCodes } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { readSecret } from '../../options.ts';

export interface PasswordFlags {
  readonly passwordFile?: string;
}

const variable = 'LONGSHORE_USER_PASSWORD';

/** A password is never an argument: arguments are visible in process lists and stay in the shell's history. */
export const passwordFileOption = (): Option =>
  new Option('--password-file <file>', 'file with the password, or - to read it from stdin (default: one is generated)').env(
    `${variable}_FILE`,
  );

export const passwordHelp = `The password can also stand in the environment as ${variable}. Without any of these one is generated,
and printed this once: it is stored nowhere in clear.`;

/** The given password without surrounding white space; undefined where one should be generated. */
export async function readPassword(
  flags: PasswordFlags,
  env: NodeJS.ProcessEnv = process.env,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<string | undefined> {
  if (flags.passwordFile !== '-') return readSecret(env[variable], flags.passwordFile, "user's password");
  const password = (await text(stdin)).trim();
  if (password === '') throw new CommandError(exitCodes.usage, 'Standard input should hold the password, and it is empty.');
  return password;
}
