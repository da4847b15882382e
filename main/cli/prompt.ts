import { text } from 'node:stream/consumers';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

/** A terminal for questions: `input` reads keys, `output` shows questions. */
interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
}

const thisTerminal = (): Terminal => ({ input: process.stdin, output: process.stderr });

/** Longer than any real answer. */
const longestAnswer = 4_096;

/**
 * Asks a person. A hidden answer is not echoed, not even its length.
 *
 * @throws CommandError (130) on Ctrl-C, and Ctrl-D before anything was typed
 */
export async function ask(question: string, hidden: boolean, { input, output }: Terminal = thisTerminal()): Promise<string> {
  // Before the question is shown: otherwise keys typed at once would be echoed.
  input.setRawMode(true);
  output.write(question);
  input.setEncoding('utf8');
  input.resume();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = '';
  const stopped = () => reject(new CommandError(exitCodes.interrupted, 'Stopped.'));
  const press = (key: string): void => {
    const before = answer;
    if (key === '\r' || key === '\n') resolve(answer);
    else if (key === '\u0003' || (key === '\u0004' && answer === '')) stopped();
    else if (key === '\u007f' || key === '\b') answer = [...answer].slice(0, -1).join('');
    else if (key === '\u0015') answer = '';
    else if (key >= ' ' && answer.length < longestAnswer) answer += key;
    if (!hidden)
      output.write(answer.startsWith(before) ? answer.slice(before.length) : '\b \b'.repeat([...before].length - [...answer].length));
  };
  const onData = (keys: string): void => {
    // Pasted text is received as one chunk. An arrow key is an escape sequence, which is ignored here.
    if (keys.startsWith('\u001b')) return;
    for (const key of keys) press(key);
  };
  input.on('data', onData).once('end', stopped);
  try {
    return await promise;
  } finally {
    input.off('data', onData).off('end', stopped);
    input.setRawMode(false);
    input.pause();
    output.write('\n');
  }
}

/** All of stdin without a line break at its end. */
export async function readStdin(what: string, stdin: NodeJS.ReadableStream = process.stdin): Promise<string> {
  const given = (await text(stdin)).replace(/\r?\n$/, '');
  if (given === '') throw new CommandError(exitCodes.usage, `Standard input should hold the ${what}, and it is empty.`);
  return given;
}
