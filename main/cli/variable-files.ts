import { readSecret } from './options.ts';

/** Variables whose addresses have a password in them, by what is said of them. */
export const variablesByFile = {
  DATABASE_URL: "database's address",
  STORAGE_URL: "bucket's address",
  LONGSHORE_SMTP_URL: "mail server's address",
  REALTIME_URL: "broker's address",
} as const;

/**
 * Sets each of these variables that is not given from the file that `…_FILE` names, as containers get their secrets.
 *
 * @throws CommandError for a file that cannot be read, or is empty
 */
export function readVariableFiles(env: NodeJS.ProcessEnv): void {
  for (const [name, what] of Object.entries(variablesByFile)) {
    const value = readSecret(env[name], env[`${name}_FILE`], what);
    if (value !== undefined) env[name] = value;
  }
}
