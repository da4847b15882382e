import { Option } from 'commander';
import { ApiError } from '#protocol/errors.ts';
import type { LinkCode } from '#protocol/hosted/links.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../format.ts';
import { ask } from '../prompt.ts';

export const linkCodeOption = (): Option =>
  new Option('--code <code>', "the code that the link's recipient was mailed, where the link asks for one");

interface LinkCodePorts<T> {
  /** Opens the link, with the code where there is one. */
  readonly open: (code: string | undefined) => Promise<T>;
  readonly mail: () => Promise<LinkCode>;
  /** Asks the person; null where nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | null;
  readonly tell: (line: string) => void;
}

const asked = ['link_code_required', 'link_code_wrong', 'link_code_over'] as const;

const linkCodeError = (error: unknown) => (error instanceof ApiError ? asked.find((name) => name === error.error) : undefined);

/**
 * Opens a link that may ask for a mailed code (contract/links.md §8): has it mailed, and asks for it on a terminal. In a
 * script the first run has it mailed, and the next one gives it.
 *
 * @throws CommandError where the code is missing, or is not good, and nobody can be asked
 */
export async function openWithCode<T>({ open, mail, ask, tell }: LinkCodePorts<T>, given: string | undefined): Promise<T> {
  let code = given;
  for (;;) {
    try {
      return await open(code);
    } catch (error) {
      const why = linkCodeError(error);
      if (why === undefined) throw error;
      if (why === 'link_code_wrong' && ask === null) throw error;
      const sent = why === 'link_code_wrong' ? 'That code is wrong. Only the one that was mailed last is good.' : await mailed(mail);
      if (ask === null) throw new CommandError(exitCodes.credential, `${sent} Run the command again with --code CODE.`, { cause: error });
      tell(sent);
      code = (await ask('Code from the mail: ')).trim();
      if (code === '') throw new CommandError(exitCodes.usage, 'Nothing was typed, so the link was not opened.');
    }
  }
}

async function mailed(mail: () => Promise<LinkCode>): Promise<string> {
  try {
    const { recipient, valid_seconds: seconds } = await mail();
    return `This link asks for a code. It was mailed to ${printable(recipient)}, and is good for ${seconds / 60} minutes.`;
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== 'rate_limited') throw error;
    return 'This link asks for a code. One was mailed a moment ago.';
  }
}

/** At this terminal, if it is one. */
export const linkCodeTerminal = (): Pick<LinkCodePorts<unknown>, 'ask' | 'tell'> => ({
  ask: process.stdin.isTTY === true ? (question) => ask(question, false) : null,
  tell: (line) => process.stderr.write(`${line}\n`),
});
