import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ownerPassword } from '../service/owner.ts';

/** Secrets by their shape, in what services log while all tests run: each call's own are looked for by permissions.test.ts. */

/** In a test's run: a folder that takes all that its services log, at every level. */
export const logsVariable = 'LONGSHORE_TEST_LOGS';

const shapes: readonly (readonly [what: string, shape: RegExp])[] = [
  ['a signed token', /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/],
  ['a password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/"@:]+:[^\s/"@*]{3,}@/i],
  ['a signed address', /[?&](?:X-Amz-Signature|X-Amz-Credential|signature|sig|secret|token|code)=[\w%.~-]{16,}/i],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a header with a secret', /"(?:x-[a-z-]*(?:token|key|code|password)|authorization|cookie)":"(?!\*|\[)[^"]{8,}"/i],
  ["the owner's password", new RegExp(ownerPassword.replaceAll(' ', '\\s'))],
];

/** What stands in a line of a log; `null` where nothing does, and for lines of others than our log. */
export function secretIn(line: string): string | null {
  if (!line.startsWith('{"level":')) return null;
  return shapes.find(([, shape]) => shape.test(line))?.[0] ?? null;
}

/** The same line without its secrets, to be shown. */
export const masked = (line: string): string =>
  shapes.reduce((text, [what, shape]) => text.replace(shape, `<${what}>`), line).slice(0, 400);

/** Lines with secrets in the files of a folder, masked. */
export async function secretsInLogs(folder: string): Promise<{ readonly lines: number; readonly found: readonly string[] }> {
  let lines = 0;
  const found: string[] = [];
  for (const name of readdirSync(folder)) {
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      lines += 1;
      if (secretIn(line) !== null) found.push(masked(line));
    }
  }
  return { lines, found };
}
