import { Command, Option } from 'commander';
import { type Role, roles } from '#protocol/roles.ts';
import { printable } from '../../format.ts';
import { type AdminFlags, adminHelp, adminOptions, withDatabase } from './open.ts';
import { type PasswordFlags, passwordFileOption, passwordHelp, readPassword } from './password.ts';
import { columns, printJson, printRecords, signInLines } from './print.ts';

interface CreateFlags extends AdminFlags, PasswordFlags {
  readonly name?: string;
  readonly role: Role;
  readonly team?: string;
}

interface ListFlags extends AdminFlags {
  readonly team?: string;
}

/** `longshore admin user …` */
export function userCommand(): Command {
  return new Command('user')
    .description('Users: make and list them, give them new passwords, and remove second factors that they have lost.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(resetCommand())
    .addCommand(new Command('mfa').description('Second factors of users.').addCommand(mfaResetCommand()));
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Makes a user in a Team.')
    .argument('<address>', 'e-mail address, by which the user signs in')
    .addOption(new Option('--name <name>', 'name of the person (default: from the address)'))
    .addOption(new Option('--role <role>', 'role in the Team').choices(roles).default('member' satisfies Role))
    .addOption(new Option('--team <team>', 'id or subdomain of the Team (default: the only one)'))
    .addOption(passwordFileOption());
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp(
        [
          'longshore admin user create jonas@example.com --name "Jonas Weber"',
          'longshore admin user create jonas@example.com --team harbour-films --role admin',
        ],
        passwordHelp,
      ),
    )
    .action(async (email: string, flags: CreateFlags) => {
      const password = await readPassword(flags);
      const { createUser } = await import('#service/admin/users.ts');
      await withDatabase(flags, async (db, at) => {
        const wanted = { email, name: flags.name, password, role: flags.role, team: flags.team };
        const { user, generatedPassword } = await createUser(db, wanted, at);
        if (flags.json) return printJson({ ...user, ...(generatedPassword !== null && { password: generatedPassword }) });
        const [team] = user.teams;
        process.stdout.write(`Made a user in the Team "${printable(team?.name ?? '')}", as ${flags.role}.\n`);
        process.stdout.write(signInLines(user.email, generatedPassword));
      });
    });
}

function listCommand(): Command {
  const command = new Command('list')
    .description('Lists users: id, e-mail address, name, and the Teams that they are in.')
    .addOption(new Option('--team <team>', 'only members of this Team (id or subdomain)'));
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp(['longshore admin user list', "longshore admin user list --team harbour-films --json | jq -r '.[].email'"]),
    )
    .action(async (flags: ListFlags) => {
      const { listUsers } = await import('#service/admin/users.ts');
      await withDatabase(flags, async (db) => {
        await printRecords(listUsers(db, flags.team), flags.json, (user) => {
          const teams = user.teams.map((team) => `${team.name} (${team.role})`).join(', ');
          return columns([user.id, 36], [user.email, 32], [user.name, 24], [teams === '' ? 'in no Team' : teams, 0]);
        });
      });
    });
}

function resetCommand(): Command {
  const command = new Command('reset-password')
    .description('Gives a user a new password and signs them out everywhere. API keys stay.')
    .argument('<address>', 'e-mail address of the user')
    .addOption(passwordFileOption());
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText('after', adminHelp(['longshore admin user reset-password jonas@example.com'], passwordHelp))
    .action(async (email: string, flags: AdminFlags & PasswordFlags) => {
      const password = await readPassword(flags);
      const { resetPassword } = await import('#service/admin/users.ts');
      await withDatabase(flags, async (db, at) => {
        const { user, generatedPassword } = await resetPassword(db, email, password, at);
        if (flags.json) return printJson({ ...user, ...(generatedPassword !== null && { password: generatedPassword }) });
        process.stdout.write('The password is changed, and every sign-in from before has ended.\n');
        process.stdout.write(signInLines(user.email, generatedPassword));
      });
    });
}

function mfaResetCommand(): Command {
  const command = new Command('reset')
    .description('Removes all second factors of a user who has lost them, and signs the user out everywhere. API keys stay.')
    .argument('<address>', 'e-mail address of the user');
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText('after', adminHelp(['longshore admin user mfa reset jonas@example.com']))
    .action(async (email: string, flags: AdminFlags) => {
      const { resetMfa } = await import('#service/admin/users.ts');
      await withDatabase(flags, async (db, at) => {
        const user = await resetMfa(db, email, at);
        if (flags.json) return printJson(user);
        process.stdout.write(`${printable(user.email)} signs in by the password alone now, and every sign-in from before has ended.\n`);
      });
    });
}
