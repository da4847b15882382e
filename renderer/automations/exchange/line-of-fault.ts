import { AgentCallError } from '#client/agent-call-error.ts';

/** The line of an imported text that the agent says something is wrong in, from 1; null where it names none. */
export function lineOfFault(error: unknown): number | null {
  const [, line] = (error instanceof AgentCallError && /\bLine (\d+): /.exec(error.message)) || [];
  return line === undefined ? null : Number(line);
}

/** Where a line begins and ends in a text, without its end. Of a line that there is not: the end of the text. */
export function rangeOfLine(text: string, line: number): readonly [number, number] {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const start = Math.min(before, text.length);
  return [start, start + (lines[line - 1]?.replace(/\r$/, '').length ?? 0)];
}
