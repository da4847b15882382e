import { Command } from 'commander';
import { printable } from '../../format.ts';
import { type AdminFlags, adminHelp, adminOptions, withDatabase } from './open.ts';
import { columns, printJson, printRecords } from './print.ts';

/** `longshore admin operator …` */
export function operatorCommand(): Command {
  return new Command('operator')
    .description('Operators, who see how the service is, suspend Teams and repeat failed work in the console.')
    .addCommand(
      changeCommand('add', 'Makes a user an operator of the service.', true, [
        'The user exists already: `longshore admin user create` makes one. It takes no role in any Team.',
        'Advise a second factor, or ask for one by `longshore service --operator-mfa`.',
      ]),
    )
    .addCommand(
      changeCommand('remove', 'Takes away from a user what operators may do. It counts at once.', false, [
        'Whom the service is started with by --operator is one again at its next start.',
      ]),
    )
    .addCommand(listCommand());
}

function changeCommand(name: string, description: string, isOperator: boolean, more: readonly string[]): Command {
  const command = new Command(name).description(description).argument('<address>', 'e-mail address of the user');
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText('after', adminHelp([`longshore admin operator ${name} mia@example.com`], more.join('\n')))
    .action(async (email: string, flags: AdminFlags) => {
      const { changeOperator } = await import('#service/admin/operators.ts');
      await withDatabase(flags, async (db, at) => {
        const { changed, ...user } = await changeOperator(db, email, isOperator, at);
        if (flags.json) return printJson({ ...user, changed });
        const state = isOperator ? 'an operator' : 'no operator';
        process.stdout.write(`${printable(user.email)} is ${state}${changed ? '' : ', as before'}.\n`);
        if (isOperator && !user.mfa) process.stdout.write('  Second factor: none. Advise one: operators can suspend every Team.\n');
      });
    });
}

function listCommand(): Command {
  const command = new Command('list').description('Lists the operators: id, e-mail address, whether they have a second factor, name.');
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp(['longshore admin operator list', "longshore admin operator list --json | jq -r '.[] | select(.mfa | not) | .email'"]),
    )
    .action(async (flags: AdminFlags) => {
      const { listOperators } = await import('#service/admin/operators.ts');
      await withDatabase(flags, async (db) => {
        await printRecords(listOperators(db), flags.json, ({ id, email, name, mfa }) =>
          columns([id, 36], [email, 32], [mfa ? 'second factor' : 'no second factor', 16], [name, 0]),
        );
      });
    });
}
