import { Command, Option } from 'commander';
import { exitCodes } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { countText } from '../../format.ts';
import { type AdminFlags, adminHelp, adminOptions, withDatabase } from './open.ts';
import { columns, printRecords } from './print.ts';

interface VerifyFlags extends AdminFlags {
  readonly team?: string;
  readonly head?: string;
}

/** `longshore admin audit …` */
export function auditCommand(): Command {
  return new Command('audit').description('The audit logs of Teams: verify them.').addCommand(verifyCommand());
}

function verifyCommand(): Command {
  const command = new Command('verify')
    .description('Checks every link of the audit logs, and prints their heads to be kept elsewhere.')
    .addOption(new Option('--team <team>', 'id or subdomain of one Team (default: all)'))
    .addOption(new Option('--head <head>', 'a head that was printed before: it has to be part of the log still'));
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp(
        ['longshore admin audit verify', 'longshore admin audit verify --team harbour-films --head 1204:9f86…'],
        'A log that is not as it was written ends with exit code 1.',
      ),
    )
    .action(async (flags: VerifyFlags) => {
      const { verifyAuditLogs } = await import('#service/admin/audit.ts');
      await withDatabase(flags, async (db) => {
        let isIntact = true;
        async function* logs() {
          for await (const log of verifyAuditLogs(db, flags.team, flags.head)) {
            isIntact &&= log.intact;
            yield log;
          }
        }
        await printRecords(logs(), flags.json, ({ team, intact, entries, head, fault }) =>
          columns(
            [intact ? 'intact' : 'BROKEN', 6],
            [countText(entries, 'entry', 'entries'), 14],
            [team.subdomain, 24],
            [fault ?? `${head.position}:${head.hash}`, 0],
          ),
        );
        if (!isIntact) throw new CommandError(exitCodes.failure, 'Not every audit log is as it was written: see the lines marked BROKEN.');
      });
    });
}
