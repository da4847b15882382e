/** Exit codes of the commands. Stable: scripts depend on them. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  credential: 3,
  unreachable: 4,
  notFound: 5,
  local: 6,
  listen: 7,
  differs: 8,
  receipt: 9,
  notAll: 10,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Sets a command's exit code where the end is neither success nor a thrown failure. */
export type End = (code: ExitCode) => void;

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'done',
  failure: 'failed in a way that has no code of its own',
  usage: 'the command was not understood',
  credential: 'not signed in, or a wrong key or password',
  unreachable: 'the service, its storage or the agent cannot be reached',
  notFound: 'not found, expired or disabled',
  local: 'a disk or path on this machine: missing, full (that of the data folder too), not writable, in use',
  listen: 'the address to listen on is taken or not of this machine',
  differs: 'the folder is not as its receipt has it, or the storage not as the database has it',
  receipt: 'the receipt is damaged, or not signed by a key that is trusted',
  notAll: 'one of the transfers failed or was cancelled, or a command could not be done for all of them',
  interrupted: 'interrupted by Ctrl-C or a signal',
};

/** The part of a command's help that lists these exit codes. */
export function exitCodesHelp(names: readonly (keyof typeof exitCodes)[]): string {
  const lines = names.map((name) => `  ${String(exitCodes[name]).padEnd(4)} ${meanings[name]}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}
