import { join } from 'node:path';
import { Command, Option } from 'commander';
import { absolutePath, dataFolders } from '../../../folders.ts';
import { readVersion } from '../../../version.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { bytesText, countText, momentText } from '../../format.ts';
import { keyCommand } from './backup-key.ts';
import {
  backupHelp,
  byBackupError,
  leftOutText,
  objectsText,
  passphraseFileOption,
  passphraseHelp,
  placeHelp,
  readPassphrase,
  showBackupProgress,
  targetOf,
} from './backup-shared.ts';
import { type AdminFlags, adminOptions, withDatabase } from './open.ts';
import { columns, printJson, printRecords } from './print.ts';

interface BackupFlags extends AdminFlags {
  readonly passphraseFile?: string;
  readonly withoutSecret?: true;
  readonly withoutObjects?: true;
}

/** `longshore admin backup …` */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Backs up the service while it runs: its database, objects that TARGET lacks, and its key, sealed.')
    .argument('<target>', 'folder or s3://… with the backups of this service')
    // Its subcommands have options of the same names.
    .enablePositionalOptions()
    .addOption(passphraseFileOption('seals secret.key'))
    .addOption(new Option('--without-secret', 'leave out secret.key; keep a copy of it elsewhere, without it every token and link is void'))
    .addOption(new Option('--without-objects', 'leave out objects; for those in a bucket, which has its own versions or replication'));
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      backupHelp(
        [
          'longshore admin backup /mnt/backup --passphrase-file /etc/longshore/backup-passphrase',
          'longshore admin backup verify /mnt/backup',
        ],
        `${placeHelp}\n${passphraseHelp}`,
      ),
    )
    .action(run)
    .addCommand(listCommand())
    .addCommand(verifyCommand())
    .addCommand(keyCommand());
}

async function run(target: string, flags: BackupFlags): Promise<void> {
  const passphrase = await readPassphrase(flags);
  if (passphrase === undefined && !flags.withoutSecret) {
    throw new CommandError(
      exitCodes.usage,
      'Give a passphrase that seals secret.key (--passphrase-file or LONGSHORE_BACKUP_PASSPHRASE), or leave the key out (--without-secret).',
    );
  }
  const dataDir = dataFolders(absolutePath(flags.dataDir, process.cwd())).service;
  const [{ backUp }, { openStore }, { isBoundTo }, { readSecret }, { lostText }, { noteBackup }] = await Promise.all([
    import('#service/backup/backup.ts'),
    import('#service/backup/open-store.ts'),
    import('#service/accounts/first-start.ts'),
    import('#service/data-folder.ts'),
    import('#service/backup/missing.ts'),
    import('#service/backup/last-backup.ts'),
  ]);
  await byBackupError(() =>
    withDatabase(flags, async (db, _at, { connection }) => {
      const secret = flags.withoutSecret ? new Uint8Array(32) : await readSecret(dataDir);
      // Before the target knows of it: a backup with the key of another service could not be restored.
      if (!flags.withoutSecret) await isBoundTo(db, secret);
      const store = await openStore(targetOf(target), dataDir);
      const progress = showBackupProgress();
      const { manifest, copiedBytes, missing } = await backUp({
        ...{ store, connection, version: readVersion(), now: () => new Date() },
        objectsDir: flags.withoutObjects ? null : join(dataDir, 'objects'),
        secret,
        passphrase: flags.withoutSecret ? null : passphrase!,
        onProgress: progress.show,
      }).finally(progress.end);
      // The backup is whole all the same; and where there is no data folder, nothing tells of it.
      await noteBackup(dataDir, manifest.begun_at).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT')
          process.stderr.write(
            `longshore: ${dataDir} cannot be written, so the service does not know of this backup (${error.message}).\n`,
          );
      });
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
      const { id, objects } = manifest;
      const { ended, lost } = manifest.missing;
      if (flags.json)
        printJson({ snapshot: id, rows, objects: objects.count, bytes: objects.bytes, copied_bytes: copiedBytes, ended, lost });
      else {
        process.stdout.write(
          `Backed up ${countText(rows, 'row')} and ${objectsText(objects)} to ${store.name}, as ${id}: ${bytesText(copiedBytes)} were new.\n`,
        );
        if (ended > 0) process.stdout.write(`${countText(ended, 'file')} was or were deleted meanwhile, and a restore deletes them too.\n`);
        if (flags.withoutSecret)
          process.stdout.write('secret.key is NOT in it. Keep a copy elsewhere: without it every token and link is void.\n');
        process.stdout.write(leftOutText(objects));
      }
      if (lost > 0)
        throw new CommandError(
          exitCodes.failure,
          `The backup is complete but for what the storage does not have any more: ${lostText(missing)}.`,
        );
    }),
  );
}

function listCommand(): Command {
  return new Command('list')
    .description('Lists the complete backups in TARGET: the latest first.')
    .argument('<target>', 'folder or s3://… with backups')
    .addOption(new Option('--json', 'print JSON').default(false))
    .addHelpText('after', backupHelp(['longshore admin backup list /mnt/backup'], placeHelp))
    .action(async (target: string, { json }: { readonly json: boolean }) => {
      const [{ snapshotIds, readManifest }, { openStore }] = await Promise.all([
        import('#service/backup/manifest.ts'),
        import('#service/backup/open-store.ts'),
      ]);
      await byBackupError(async () => {
        const store = await openStore(targetOf(target));
        async function* snapshots() {
          for (const id of await snapshotIds(store)) {
            const manifest = await readManifest(store, id);
            if (!manifest) continue;
            const { begun_at, ended_at, version, objects, missing } = manifest;
            const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
            const { ended, lost } = missing;
            yield {
              snapshot: id,
              begun_at,
              ended_at,
              version,
              rows,
              objects: objects.count,
              bytes: objects.bytes,
              with_objects: objects.kept,
              ended,
              lost,
            };
          }
        }
        const count = await printRecords(snapshots(), json, (one) =>
          columns(
            [one.snapshot, 24],
            [momentText(one.ended_at), 20],
            [countText(one.rows, 'row'), 16],
            [one.with_objects ? `${countText(one.objects, 'object')}, ${bytesText(one.bytes)}` : 'no objects', 0],
            [one.lost > 0 ? `${one.lost} LOST` : '', 0],
          ),
        );
        if (count === 0 && !json) throw new CommandError(exitCodes.notFound, `There is no complete backup in ${store.name}.`);
      });
    });
}

interface VerifyFlags {
  readonly snapshot?: string;
  readonly quick?: true;
  readonly passphraseFile?: string;
  readonly json: boolean;
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('Reads a backup, and compares every table and object with its digest.')
    .argument('<target>', 'folder or s3://… with backups')
    .addOption(new Option('--snapshot <id>', 'one of `longshore admin backup list` (default: the latest)'))
    .addOption(new Option('--quick', 'of objects compare names and sizes only'))
    .addOption(passphraseFileOption('opens the sealed key too'))
    .addOption(new Option('--json', 'print JSON').default(false))
    .addHelpText(
      'after',
      backupHelp(['longshore admin backup verify /mnt/backup'], 'What is not as it was written ends with exit code 1, each with its path.'),
    )
    .action(async (target: string, flags: VerifyFlags) => {
      const passphrase = (await readPassphrase(flags)) ?? null;
      const [{ verifyBackup }, { openStore }] = await Promise.all([
        import('#service/backup/verify.ts'),
        import('#service/backup/open-store.ts'),
      ]);
      await byBackupError(async () => {
        const store = await openStore(targetOf(target));
        const findings: object[] = [];
        const progress = showBackupProgress();
        const manifest = await verifyBackup(
          { store, snapshot: flags.snapshot, quick: flags.quick ?? false, passphrase, onProgress: progress.show },
          (finding) => {
            findings.push(finding);
            progress.end();
            const about = finding.file_id === undefined ? '' : `  (file ${finding.file_id} of package ${finding.package_id})`;
            if (!flags.json) process.stdout.write(`${finding.why === 'absent' ? 'MISSING' : 'DAMAGED'}  ${finding.path}${about}\n`);
          },
        ).finally(progress.end);
        if (flags.json) printJson({ snapshot: manifest.id, findings });
        if (findings.length > 0) {
          throw new CommandError(
            exitCodes.failure,
            `The backup ${manifest.id} is not as it was written: ${countText(findings.length, 'finding')}. Remove the named files from ${store.name}, and back up again: what the service still has is copied anew.`,
          );
        }
        if (!flags.json) {
          const { objects } = manifest;
          const how = flags.quick ? ' by name and size' : ' by digest';
          process.stdout.write(
            `The backup ${manifest.id} is whole: ${countText(manifest.tables.length, 'table')}, ${objectsText(objects, how)}.\n`,
          );
        }
      });
    });
}
