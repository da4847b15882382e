import { printable } from '../../format.ts';

export const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

/** Prints each record as it is read, one line each, or all of them as one JSON array. */
export async function printRecords<T>(records: AsyncIterable<T>, json: boolean, line: (record: T) => string): Promise<number> {
  let count = 0;
  for await (const record of records) {
    if (json) process.stdout.write(`${count === 0 ? '[\n' : ',\n'}${JSON.stringify(record)}`);
    else process.stdout.write(`${line(record)}\n`);
    count += 1;
  }
  if (json) process.stdout.write(count === 0 ? '[]\n' : '\n]\n');
  return count;
}

/** Columns side by side, padded to their widths. A longer text moves the following columns. */
export function columns(...cells: readonly (readonly [text: string, width: number])[]): string {
  return cells
    .map(([text, width]) => printable(text).padEnd(width))
    .join('  ')
    .trimEnd();
}

/** The lines that tell a person how to sign in. */
export function signInLines(email: string, generatedPassword: string | null): string {
  const lines = [`  E-mail:   ${printable(email)}`];
  if (generatedPassword !== null) lines.push(`  Password: ${generatedPassword}   (generated; shown only this once)`);
  return `${lines.join('\n')}\n`;
}
