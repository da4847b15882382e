import { Command, Option } from 'commander';
import { absolutePath, dataFolders } from '../../../folders.ts';
import { countText, momentText } from '../../format.ts';
import {
  backupHelp,
  byBackupError,
  leftOutText,
  objectsText,
  passphraseFileOption,
  passphraseHelp,
  readPassphrase,
  showBackupProgress,
  targetOf,
} from './backup-shared.ts';
import { type AdminFlags, adminOptions } from './open.ts';
import { printJson } from './print.ts';

interface RestoreFlags extends AdminFlags {
  readonly snapshot?: string;
  readonly passphraseFile?: string;
}

/** `longshore admin restore` */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('Makes a service of a backup, in an empty data folder and an empty database.')
    .argument('<target>', 'folder or s3://… with backups')
    .addOption(new Option('--snapshot <id>', 'one of `longshore admin backup list` (default: the latest)'))
    .addOption(passphraseFileOption('opens the sealed key'));
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      backupHelp(
        ['longshore admin restore /mnt/backup --data-dir /srv/longshore --passphrase-file /etc/longshore/backup-passphrase'],
        `Killed at any moment, the same command goes on. Until it is done, no service starts in the folder.\n${passphraseHelp}`,
      ),
    )
    .action(async (target: string, flags: RestoreFlags) => {
      const passphrase = (await readPassphrase(flags)) ?? null;
      const dataDir = dataFolders(absolutePath(flags.dataDir, process.cwd())).service;
      const [{ restore }, { openStore }, { createLog }] = await Promise.all([
        import('#service/backup/restore.ts'),
        import('#service/backup/open-store.ts'),
        import('../../../log.ts'),
      ]);
      const begun = performance.now();
      await byBackupError(async () => {
        const store = await openStore(targetOf(target), dataDir);
        const progress = showBackupProgress();
        const { manifest, missing } = await restore({
          ...{ store, dataDir, passphrase, snapshot: flags.snapshot, databaseUrl: flags.databaseUrl },
          log: createLog(flags.logLevel),
          onProgress: progress.show,
        }).finally(progress.end);
        const seconds = (performance.now() - begun) / 1000;
        const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
        const { id, objects } = manifest;
        const lost = missing.filter(({ why }) => why === 'lost').length;
        if (flags.json)
          return printJson({
            snapshot: id,
            begun_at: manifest.begun_at,
            rows,
            objects: objects.count,
            bytes: objects.bytes,
            lost,
            seconds,
          });
        process.stdout.write(
          `Restored the backup of ${momentText(manifest.begun_at)} into ${dataDir}: ${countText(rows, 'row')}, ${objectsText(objects)}, in ${Math.ceil(seconds)} s. Start the service there.\n${leftOutText(objects)}`,
        );
        if (lost > 0) process.stdout.write(`${countText(lost, 'file')} had been lost before the backup, and cannot be downloaded.\n`);
      });
    });
}
