import { Command, Option } from 'commander';
import type { Finding, FindingKind } from '#service/integrity/finding.ts';
import { absolutePath, dataFolders } from '../../../folders.ts';
import { exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { bytesText, countText, printable } from '../../format.ts';
import { parseRate } from '../../sizes.ts';
import { stopSignal } from '../../stop-signal.ts';
import { byBackupError, showBackupProgress } from './backup-shared.ts';
import { type AdminFlags, adminOptions, withDatabase } from './open.ts';
import { printJson } from './print.ts';

interface CheckFlags extends AdminFlags {
  readonly deep?: true;
  readonly rate?: number | null;
  readonly repair?: true;
  readonly fromStart?: true;
  readonly storageUrl?: string;
}

/** `longshore admin check` */
export function checkCommand(): Command {
  const command = new Command('check')
    .description('Compares the database with what the storage has, both ways, while the service runs or not.')
    .addOption(new Option('--deep', 'read every byte, and compare it with its digest'))
    .addOption(new Option('--rate <size>', 'read so much a second at most, as 50MB (default: as fast as it goes)').argParser(parseRate))
    .addOption(new Option('--repair', 'free what no row names, and count again what is counted wrongly'))
    .addOption(new Option('--from-start', 'begin anew where an earlier check was stopped'));
  command.addOption(new Option('--storage-url <url>', 'the S3 bucket of the service, where it has one').env('STORAGE_URL'));
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      `
Examples:
  longshore admin check
  longshore admin check --deep --rate 50MB --json

Each finding is a line: MISSING and DAMAGED files with their packages, ORPHANs that no row names, FOREIGN things
that Longshore did not make, ALTERED rows of files and packages, and segments that are MISCOUNTED. Orphans are told of after three days, since senders
may be under way; --repair gives them to the next sweep of the service. Nothing else is ever deleted: restore what
is missing or damaged from a backup, or ask its sender for it. In a bucket a deep check reads every object once, which
may cost what the bucket's traffic does. One that was stopped goes on by the same command.
${exitCodesHelp(['ok', 'failure', 'usage', 'unreachable', 'local', 'differs', 'interrupted'])}`,
    )
    .action(run);
}

async function run(flags: CheckFlags): Promise<void> {
  const { checkStorage } = await import('#service/integrity/check.ts');
  const dataDir = dataFolders(absolutePath(flags.dataDir, process.cwd())).service;
  const stop = stopSignal('The check', 'a disk, the database or the storage');
  const progress = showBackupProgress();
  try {
    await byBackupError(() =>
      withDatabase(flags, async (_db, _at, { connection }) => {
        const opened = await openChecked(flags.storageUrl, dataDir);
        const result = await checkStorage({
          ...{ connection, dataDir, storage: opened.checked },
          ...{ deep: flags.deep ?? false, rate: flags.rate ?? null, repair: flags.repair ?? false, fromStart: flags.fromStart ?? false },
          ...{ now: () => new Date(), signal: stop.signal, onProgress: progress.show },
          onFinding: (finding) => {
            progress.end();
            if (!flags.json) process.stdout.write(`${findingLine(finding)}\n`);
          },
        }).finally(opened.close);
        progress.end();
        const { findings, objects, bytes } = result;
        if (flags.json) printJson(result);
        if (findings.length > 0) throw new CommandError(exitCodes.differs, summaryOf(findings, flags.repair ?? false));
        const how = flags.deep ? 'each byte by its digest' : 'by name and size';
        if (!flags.json) process.stdout.write(`All is there: ${countText(objects, 'object')} of ${bytesText(bytes)}, ${how}.\n`);
      }),
    );
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CommandError(exitCodes.interrupted, 'Stopped. The same command goes on where it was.', { cause: error });
  } finally {
    progress.end();
    stop.release();
  }
}

const words: Readonly<Record<FindingKind, string>> = {
  missing: 'MISSING',
  damaged: 'DAMAGED',
  altered: 'ALTERED',
  orphan: 'ORPHAN',
  foreign: 'FOREIGN',
  miscounted: 'MISCOUNTED',
};

/** The folder of objects, or the bucket that `storageUrl` names. */
async function openChecked(storageUrl: string | undefined, dataDir: string) {
  if (storageUrl === undefined) {
    const { checkedFolder } = await import('#service/integrity/checked-folder.ts');
    return { checked: checkedFolder(dataDir), close: async () => undefined };
  }
  const [{ openBucket }, { checkedBucket }] = await Promise.all([
    import('#service/integrity/open-bucket.ts'),
    import('#service/integrity/checked-bucket.ts'),
  ]);
  const bucket = await openBucket(storageUrl);
  return { checked: checkedBucket(bucket), close: () => bucket.close() };
}

function findingLine({ kind, path, package_name, package_id, file_name, team_id, detail, repaired }: Finding): string {
  const of = package_id === undefined ? '' : ` of package "${package_name}" (${package_id}, Team ${team_id})`;
  const about = [file_name && `${file_name}${of}`, detail, repaired && 'repaired'].filter(Boolean).join('; ');
  return printable(`${words[kind].padEnd(10)}  ${path}${about === '' ? '' : `  ${about}`}`);
}

/** How many of each kind, and what to do. */
function summaryOf(findings: readonly Finding[], isRepair: boolean): string {
  const counts = (Object.keys(words) as FindingKind[]).flatMap((kind) => {
    const count = findings.filter((finding) => finding.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  const left = findings.filter(({ repaired }) => !repaired);
  const isLost = left.some(({ kind }) => kind === 'missing' || kind === 'damaged');
  const canRepair = !isRepair && left.some(({ kind }) => kind === 'orphan' || kind === 'miscounted');
  const advice = [
    left.some(({ kind }) => kind === 'altered') &&
      'Restore altered rows from a backup of the database: what they say now is not what was sent.',
    isLost && 'Restore missing and damaged files from a backup, or ask their senders for them.',
    canRepair && 'Run it with --repair to free orphans and count again.',
    left.length === 0 && 'All of it is repaired: orphans are freed by the next sweep of the service.',
  ];
  return [`The storage is not as the database has it: ${counts.join(', ')}.`, ...advice.filter(Boolean)].join(' ');
}
