import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { BackupErrorCode } from '#service/backup/backup-error.ts';
import type { Manifest } from '#service/backup/manifest.ts';
import type { BackupProgress } from '#service/backup/ports.ts';
import { StartError } from '#service/start-error.ts';
import { absolutePath } from '../../../folders.ts';
import { type ExitCode, exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { bytesText, countText, durationText, speedText } from '../../format.ts';
import { readSecret } from '../../options.ts';
import { barText, createLineShow, hasRoomForBar } from '../../progress.ts';
import { byStartError } from '../service.ts';

/** What the commands of backups share. */

/** The end of each command's help. */
export const backupHelp = (examples: readonly string[], more: string): string => `
Examples:
${examples.map((example) => `  ${example}`).join('\n')}

${more}
${exitCodesHelp(['ok', 'failure', 'usage', 'credential', 'unreachable', 'notFound', 'local'])}`;

const variable = 'LONGSHORE_BACKUP_PASSPHRASE';

export const passphraseFileOption = (what: string): Option =>
  new Option('--passphrase-file <file>', `file with the passphrase that ${what}, or - to read it from stdin`).env(`${variable}_FILE`);

export const passphraseHelp = `The passphrase can also stand in the environment as ${variable}. Nobody can open the key without it: keep
it elsewhere than the backup.`;

export const placeHelp = `TARGET holds any number of backups, which share their objects: the next copies only what is new. One that
is killed leaves the earlier ones as they are, and the next goes on where it stopped. A bucket is named as
by --storage-url; its keys come from AWS_ACCESS_KEY_ID and so on, so that no process list shows them.`;

/** An address as it is, a folder as an absolute path. */
export const targetOf = (target: string): string => (target.includes('://') ? target : absolutePath(target, process.cwd()));

/** The given passphrase without surrounding white space; undefined where there is none. */
export async function readPassphrase({ passphraseFile }: { readonly passphraseFile?: string }): Promise<string | undefined> {
  if (passphraseFile !== '-') return readSecret(process.env[variable], passphraseFile, 'passphrase');
  const passphrase = (await text(process.stdin)).trim();
  if (passphrase === '') throw new CommandError(exitCodes.usage, 'Standard input should hold the passphrase, and it is empty.');
  return passphrase;
}

const byCode: Readonly<Record<BackupErrorCode, ExitCode>> = {
  target_invalid: exitCodes.usage,
  place_unusable: exitCodes.local,
  place_full: exitCodes.local,
  no_backups: exitCodes.notFound,
  other_service: exitCodes.local,
  unknown_format: exitCodes.failure,
  passphrase: exitCodes.credential,
  not_empty: exitCodes.local,
  other_version: exitCodes.failure,
  busy: exitCodes.failure,
  no_local_objects: exitCodes.local,
  damaged: exitCodes.failure,
  lost: exitCodes.failure,
};

/** Gives failures their exit codes. */
export async function byBackupError(work: () => Promise<void>): Promise<void> {
  const { BackupError } = await import('#service/backup/backup-error.ts');
  try {
    await work();
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(byCode[error.code], error.message, { cause: error });
    if (error instanceof StartError) throw new CommandError(byStartError[error.code], error.message, { cause: error });
    throw error;
  }
}

/** What of objects is in a backup. One without them counts what its rows need all the same. */
export const objectsText = ({ count, bytes, kept }: Manifest['objects'], how = ''): string =>
  kept ? `${countText(count, 'object')} of ${bytesText(bytes)}${how}` : 'no objects';

/** A sentence for a backup without objects; empty for one with them. */
export const leftOutText = ({ count, bytes, kept }: Manifest['objects']): string =>
  kept ? '' : `${countText(count, 'object')} of ${bytesText(bytes)} that its rows need are NOT in it: the storage has to have them.\n`;

const words: Readonly<Record<BackupProgress['phase'], string>> = {
  objects: 'Copying objects',
  tables: 'Database',
  rest: 'Copying what came meanwhile',
  verify: 'Comparing objects',
  orphans: 'Looking for objects that no row names',
  rows: 'Comparing rows with receipts',
};

function progressLine({ phase, ...at }: BackupProgress, bar: boolean): string {
  const share = at.totalBytes > 0 ? `${Math.min(100, Math.floor((at.bytes / at.totalBytes) * 100))}%  ` : '';
  const total = at.totalBytes > 0 ? ` of ${bytesText(at.totalBytes)}` : '';
  const what = phase === 'tables' ? 'table' : 'object';
  const left = at.secondsLeft === null ? '' : `, ${durationText(at.secondsLeft)} left`;
  const counts = `${at.objects.toLocaleString('en-US')} of ${countText(at.totalObjects, what)}`;
  if (phase === 'orphans') return `${words[phase]}  ${countText(at.objects, 'step')}`;
  if (phase === 'rows') return `${words[phase]}  ${countText(at.objects, 'package')}`;
  return `${words[phase]}  ${bar ? barText(at.totalBytes > 0 ? at.bytes / at.totalBytes : 0) : ''}${share}${bytesText(at.bytes)}${total}, ${counts}, ${speedText(at.bytesPerSecond)}${left}`;
}

/** One line on stderr, which leaves stdout to results. */
export function showBackupProgress() {
  const lines = createLineShow(process.stderr);
  return {
    show: (progress: BackupProgress) => lines.show(progressLine(progress, hasRoomForBar(process.stderr)), progress.phase),
    end: () => lines.end(),
  };
}
