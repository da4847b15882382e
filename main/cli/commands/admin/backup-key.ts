import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { absolutePath } from '../../../folders.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { momentText } from '../../format.ts';
import { backupHelp, byBackupError, passphraseFileOption, passphraseHelp, readPassphrase, targetOf } from './backup-shared.ts';

interface KeyFlags {
  readonly out: string;
  readonly snapshot?: string;
  readonly passphraseFile?: string;
}

/** `longshore admin backup key`: for a service whose database and objects are there. */
export function keyCommand(): Command {
  return new Command('key')
    .description('Writes the secret.key of a backup into a file, for a service that has lost its key and nothing else.')
    .argument('<target>', 'folder or s3://… with backups')
    .addOption(new Option('--out <file>', 'file to write, which is not there yet').makeOptionMandatory())
    .addOption(new Option('--snapshot <id>', 'one of `longshore admin backup list` (default: the latest)'))
    .addOption(passphraseFileOption('opens the sealed key'))
    .addHelpText(
      'after',
      backupHelp(
        [
          'longshore admin backup key /mnt/backup --out /var/lib/longshore-service/service/secret.key \\\n    --passphrase-file /etc/longshore/backup-passphrase',
        ],
        passphraseHelp,
      ),
    )
    .action(run);
}

async function run(target: string, flags: KeyFlags): Promise<void> {
  const passphrase = await readPassphrase(flags);
  if (passphrase === undefined)
    throw new CommandError(
      exitCodes.usage,
      'The key in the backup is sealed. Give the passphrase (--passphrase-file or LONGSHORE_BACKUP_PASSPHRASE).',
    );
  const out = absolutePath(flags.out, process.cwd());
  const [{ sealedKeyOf }, { chosenManifest }, { openStore }, { fileProblem }] = await Promise.all([
    import('#service/backup/sealed-key.ts'),
    import('#service/backup/manifest.ts'),
    import('#service/backup/open-store.ts'),
    import('#service/start-error.ts'),
  ]);
  await byBackupError(async () => {
    const store = await openStore(targetOf(target));
    const manifest = await chosenManifest(store, flags.snapshot);
    const key = await sealedKeyOf(store, manifest, passphrase);
    if (key === null)
      throw new CommandError(
        exitCodes.notFound,
        `The backup ${manifest.id} has no key: it was made with --without-secret. Choose another one (--snapshot).`,
      );
    await writeFile(out, `${key.toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new CommandError(exitCodes.local, `${out} is there already, and is not replaced. Move it away first.`);
      throw fileProblem(error, out);
    });
    process.stdout.write(
      `Wrote the key of the backup of ${momentText(manifest.begun_at)} to ${out}. It is to be the service's user's (0600).\n`,
    );
  });
}
