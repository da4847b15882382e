import { createReadStream, readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Keys } from '#engine/receipt/check-signature.ts';
import type { Difference, Verified } from '#engine/receipt/verify-folder.ts';
import { type End, type ExitCode, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { bytesText, countText, printable } from '../format.ts';
import { createLineShow } from '../progress.ts';
import { stopSignal } from '../stop-signal.ts';

interface VerifyFlags {
  readonly receipt: string;
  readonly keys?: string;
  readonly extra: boolean;
  readonly json: boolean;
}

const help = `
Examples:
  longshore get "https://files.example.com/d/019a…?secret=…" incoming/ --receipt day12.receipt
  longshore verify incoming/ --receipt day12.receipt
  curl -o keys.json https://files.example.com/.well-known/jwks.json
  longshore verify incoming/ --receipt day12.receipt --keys keys.json

Needs no service and no network. Compares the content of every file, and says on stdout, a line each, what is missing,
changed, unreadable or extra. Times and owners are not compared. Without --keys the receipt's own key is taken: that
tells that it is whole, and not who made it.
${exitCodesHelp(['ok', 'failure', 'usage', 'local', 'differs', 'receipt', 'interrupted'])}`;

/** `longshore verify FOLDER --receipt FILE`: checks a folder against a receipt. */
export function verifyCommand(end: End): Command {
  return new Command('verify')
    .description('Checks a folder against the receipt of its package, offline.')
    .argument('<folder>', 'the folder that holds the package: what `get` was given, or what holds the paths that `send` was given')
    .addOption(new Option('--receipt <file>', 'the receipt').env('LONGSHORE_RECEIPT').makeOptionMandatory())
    .addOption(
      new Option(
        '--keys <file>',
        "the service's public keys, as its /.well-known/jwks.json gives them: one of them has to have signed",
      ).env('LONGSHORE_KEYS'),
    )
    .addOption(new Option('--no-extra', 'take no notice of files that the receipt does not name'))
    .addOption(new Option('--json', 'print each difference as a line of JSON').default(false))
    .addHelpText('after', help)
    .action(async (folder: string, flags: VerifyFlags) => end(await verify(folder, flags)));
}

async function verify(given: string, flags: VerifyFlags): Promise<ExitCode> {
  const folder = folderAt(given);
  const receipt = fileAt(flags.receipt, 'receipt');
  const keys = flags.keys === undefined ? 'enclosed' : keysIn(flags.keys);
  const stop = stopSignal('The check', 'a disk or network drive');
  // Loaded lazily, so that `--help` is fast.
  const { verifyFolder } = await import('#engine/receipt/verify-folder.ts');
  const progress = createLineShow(process.stderr);
  let of = '';
  let [files, bytes, found] = [0, 0, 0];
  const show = (): void =>
    progress.show(`Checked ${bytesText(bytes)} of ${of}, ${countText(files, 'file')}${found > 0 ? `, ${found} differ` : ''}`, '');
  try {
    const verified = await verifyFolder({
      folder,
      receipt: () => createReadStream(receipt),
      keys,
      extras: flags.extra,
      ignore: new Set([receipt]),
      signal: stop.signal,
      begin({ claims }) {
        of = bytesText(claims.bytes);
      },
      found(difference) {
        found++;
        progress.end();
        process.stdout.write(`${flags.json ? JSON.stringify(difference) : lineOf(difference)}\n`);
      },
      advance(moreFiles, moreBytes) {
        files += moreFiles;
        bytes += moreBytes;
        show();
      },
    });
    progress.end();
    console.error(summaryOf(verified, flags.keys !== undefined));
    return codeOf(verified);
  } catch (error) {
    progress.end();
    if (!stop.signal.aborted) throw error;
    console.error(`Stopped after ${countText(files, 'file')}, ${bytesText(bytes)}; ${found} of them differ.`);
    return exitCodes.interrupted;
  } finally {
    stop.release();
  }
}

function folderAt(given: string): string {
  try {
    const folder = realpathSync(resolve(given));
    if (statSync(folder).isDirectory()) return folder;
  } catch (cause) {
    throw new CommandError(exitCodes.local, `The folder ${given} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  throw new CommandError(exitCodes.local, `${given} is not a folder.`);
}

function fileAt(given: string, what: string): string {
  try {
    const file = realpathSync(resolve(given));
    if (statSync(file).isFile()) return file;
  } catch (cause) {
    throw new CommandError(exitCodes.local, `The ${what} ${given} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  throw new CommandError(exitCodes.local, `${given} is not a file.`);
}

function keysIn(given: string): Keys {
  const text = readFileSync(fileAt(given, 'key file'), 'utf8');
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    if (Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === 'object' && key !== null)) return { keys };
  } catch (cause) {
    throw noKeys(given, cause);
  }
  throw noKeys(given);
}

const noKeys = (given: string, cause?: unknown): CommandError =>
  new CommandError(exitCodes.usage, `${given} holds no keys. Fetch /.well-known/jwks.json from the service.`, { cause });

/** Padded to the longest word, so that paths are aligned. */
const lineOf = ({ kind, path, detail }: Difference): string =>
  `${kind.padEnd(10)}  ${printable(path)}${detail === '' ? '' : `  (${printable(detail)})`}`;

function summaryOf({ claims, keyId, differences, withoutDigest }: Verified, trusted: boolean): string {
  const counts = Object.entries(differences).filter(([, count]) => count > 0);
  const result =
    counts.length === 0
      ? `All ${countText(claims.files, 'file')}, ${bytesText(claims.bytes)}, are as the receipt has them.`
      : `Not as the receipt has it: ${counts.map(([kind, count]) => `${count} ${kind}`).join(', ')}.`;
  const unchecked =
    withoutDigest > 0 ? ` Of ${countText(withoutDigest, 'file')} the size alone was compared: the receipt has no digest.` : '';
  const signedAt = new Date(claims.iat * 1_000).toISOString().slice(0, 10);
  const key = trusted ? `key ${keyId}, which is trusted` : `key ${keyId}; give --keys to be sure whose that is`;
  return `${result}${unchecked}\nSigned on ${signedAt} for ${printable(claims.iss)}, package "${printable(claims.package_name)}", by ${key}.`;
}

function codeOf({ differences }: Verified): ExitCode {
  const { unreadable, ...others } = differences;
  if (Object.values(others).some((count) => count > 0)) return exitCodes.differs;
  return unreadable > 0 ? exitCodes.local : exitCodes.ok;
}
