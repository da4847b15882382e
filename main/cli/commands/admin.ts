import { Command } from 'commander';
import { auditCommand } from './admin/audit.ts';
import { backupCommand } from './admin/backup.ts';
import { checkCommand } from './admin/check.ts';
import { doctorCommand } from './admin/doctor.ts';
import { operatorCommand } from './admin/operator.ts';
import { quotaCommand } from './admin/quota.ts';
import { restoreCommand } from './admin/restore.ts';
import { teamCommand } from './admin/team.ts';
import { userCommand } from './admin/user.ts';

/** `longshore admin …`: administration of a service on its own machine, without its API. */
export function adminCommand(): Command {
  return new Command('admin')
    .enablePositionalOptions()
    .description(
      "The operator's commands: Teams, users, operators, quotas, audit logs, backup, restore and check of a service on this machine or database.",
    )
    .addCommand(teamCommand())
    .addCommand(userCommand())
    .addCommand(operatorCommand())
    .addCommand(quotaCommand())
    .addCommand(auditCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(checkCommand())
    .addCommand(doctorCommand())
    .addHelpText('after', '\nSee `longshore admin team create --help` and so on for examples, options and exit codes.');
}
