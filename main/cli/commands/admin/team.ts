import { Command, Option } from 'commander';
import { countText, printable } from '../../format.ts';
import { type AdminFlags, adminHelp, adminOptions, withDatabase } from './open.ts';
import { type PasswordFlags, passwordFileOption, passwordHelp, readPassword } from './password.ts';
import { columns, printJson, printRecords, signInLines } from './print.ts';

interface CreateFlags extends AdminFlags, PasswordFlags {
  readonly owner: string;
  readonly ownerName?: string;
  readonly subdomain?: string;
}

/** `longshore admin team …` */
export function teamCommand(): Command {
  return new Command('team')
    .description('Teams: make, list, suspend and reactivate them.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(stateCommand('suspend', 'Turns a Team inactive: its API keys are suspended and its calls answer 402.', 'inactive'))
    .addCommand(stateCommand('reactivate', 'Turns a Team active again: each API key is what it was before.', 'active'));
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Makes a Team with its owner.')
    .argument('<name>', "the Team's name")
    .addOption(new Option('--owner <address>', 'e-mail address of its owner, who has a user or gets one').makeOptionMandatory())
    .addOption(new Option('--owner-name <name>', 'name of an owner who gets a user (default: from the address)'))
    .addOption(new Option('--subdomain <text>', 'a short name, 3 to 53 of a-z, 0-9 and - (default: from the name)'))
    .addOption(passwordFileOption());
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp(
        [
          'longshore admin team create "Harbour Films" --owner mia@example.com',
          'pass show mia | longshore admin team create "Harbour Films" --owner mia@example.com --password-file -',
        ],
        passwordHelp,
      ),
    )
    .action(async (name: string, flags: CreateFlags) => {
      const password = await readPassword(flags);
      const { createTeam } = await import('#service/admin/teams.ts');
      await withDatabase(flags, async (db, at) => {
        const made = await createTeam(
          db,
          { name, subdomain: flags.subdomain, owner: flags.owner, ownerName: flags.ownerName, password },
          at,
        );
        const { team, ownerCreated, generatedPassword } = made;
        if (flags.json) {
          printJson({
            ...team,
            owner: { email: flags.owner, made: ownerCreated, ...(generatedPassword !== null && { password: generatedPassword }) },
          });
          return;
        }
        const owner = ownerCreated ? 'its owner' : 'an owner who has a user already, and keeps the password';
        process.stdout.write(`Made the Team "${printable(team.name)}" (${team.subdomain}) with ${owner}.\n`);
        process.stdout.write(signInLines(flags.owner, generatedPassword));
      });
    });
}

function listCommand(): Command {
  const command = new Command('list').description('Lists all Teams: id, state, members, subdomain, name.');
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp(['longshore admin team list', 'longshore admin team list --json | jq -r \'.[] | select(.state == "inactive") | .name\'']),
    )
    .action(async (flags: AdminFlags) => {
      const { listTeams } = await import('#service/admin/teams.ts');
      await withDatabase(flags, async (db) => {
        await printRecords(listTeams(db), flags.json, (team) =>
          columns([team.id, 36], [team.state, 8], [countText(team.members, 'member'), 12], [team.subdomain, 24], [team.name, 0]),
        );
      });
    });
}

function stateCommand(name: string, description: string, state: 'active' | 'inactive'): Command {
  const command = new Command(name).description(description).argument('<team>', 'id or subdomain of the Team');
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText('after', adminHelp([`longshore admin team ${name} harbour-films`]))
    .action(async (reference: string, flags: AdminFlags) => {
      const { changeTeamState } = await import('#service/admin/teams.ts');
      await withDatabase(flags, async (db, at) => {
        const team = await changeTeamState(db, reference, state, at);
        if (flags.json) printJson(team);
        else process.stdout.write(`The Team "${printable(team.name)}" (${team.subdomain}) is ${state}.\n`);
      });
    });
}
