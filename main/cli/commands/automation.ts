import { Command } from 'commander';
import type { End } from '../exit-codes.ts';
import { actCommands } from './automation/act.ts';
import { addCommand } from './automation/add.ts';
import { answerCommand } from './automation/answer.ts';
import { dryRunCommand } from './automation/dry-run.ts';
import { editCommand } from './automation/edit.ts';
import { exportCommand } from './automation/export.ts';
import { forgetCommand } from './automation/forget.ts';
import { historyCommand } from './automation/history.ts';
import { lsCommand } from './automation/ls.ts';

/** `longshore automation …`: folders that send themselves, and Portals that arrive by themselves. */
export function automationCommand(end: End): Command {
  const command = new Command('automation')
    .description('Folders that are sent by themselves, and Portals that arrive by themselves.')
    .addCommand(lsCommand())
    .addCommand(addCommand())
    .addCommand(editCommand())
    .addCommand(dryRunCommand());
  for (const act of actCommands(end)) command.addCommand(act);
  return command
    .addCommand(historyCommand())
    .addCommand(answerCommand())
    .addCommand(forgetCommand())
    .addCommand(exportCommand())
    .addHelpText('after', '\nSee `longshore automation add --help` for examples, and docs/automations.md for all of it.');
}
