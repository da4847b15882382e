import { Command, Option } from 'commander';
import type { QuotaRecord } from '#service/admin/quotas.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { bytesText, printable } from '../../format.ts';
import { parseQuota } from '../../sizes.ts';
import { type AdminFlags, adminHelp, adminOptions, withDatabase } from './open.ts';
import { columns, printJson, printRecords } from './print.ts';

interface SetFlags extends AdminFlags {
  readonly storage?: number | null;
  readonly traffic?: number | null;
}

/** `longshore admin quota …` */
export function quotaCommand(): Command {
  return new Command('quota')
    .description('Quotas: how much a Team may store, and send in a month.')
    .addCommand(setCommand())
    .addCommand(listCommand())
    .addCommand(checkCommand());
}

function setCommand(): Command {
  const command = new Command('set')
    .description('Limits what a Team may use. What is not named stays as it is.')
    .argument('<team>', 'id or subdomain of the Team')
    .addOption(new Option('--storage <bytes>', 'what its files may take, or none').argParser(parseQuota))
    .addOption(new Option('--traffic <bytes>', 'what may be sent in a month (UTC), or none').argParser(parseQuota));
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp([
        'longshore admin quota set harbour-films --storage 5TB --traffic 20TB',
        'longshore admin quota set harbour-films --traffic none',
      ]),
    )
    .action(async (reference: string, flags: SetFlags) => {
      const { storage, traffic } = flags;
      if (storage === undefined && traffic === undefined)
        throw new CommandError(exitCodes.usage, 'Say what to limit: --storage, --traffic, or both.');
      const { changeQuotas } = await import('#service/admin/quotas.ts');
      await withDatabase(flags, async (db, at) => {
        const wanted = { ...(storage !== undefined && { storage }), ...(traffic !== undefined && { traffic }) };
        const found = await changeQuotas(db, reference, wanted, at);
        if (flags.json) printJson(found);
        else process.stdout.write(`The Team "${printable(found.team.name)}" (${found.team.subdomain}): ${quotasText(found)}.\n`);
      });
    });
}

const quotaText = (name: string, quota: { readonly limit: number; readonly used: number } | undefined): string =>
  `${name} ${quota === undefined ? 'without limit' : `${bytesText(quota.used)} of ${bytesText(quota.limit)}`}`;

const quotasText = ({ quotas: { storage, traffic } }: QuotaRecord): string =>
  `${quotaText('storage', storage)}, ${quotaText('traffic', traffic)}`;

function listCommand(): Command {
  const command = new Command('list').description('Lists the Teams with limits: the one that has used the largest share first.');
  for (const option of adminOptions()) command.addOption(option);
  return command.addHelpText('after', adminHelp(['longshore admin quota list'])).action(async (flags: AdminFlags) => {
    const { listQuotas } = await import('#service/admin/quotas.ts');
    await withDatabase(flags, async (db, at) => {
      await printRecords(listQuotas(db, at), flags.json, (found) =>
        columns([found.team.id, 36], [found.team.subdomain, 24], [quotasText(found), 0]),
      );
    });
  });
}

function checkCommand(): Command {
  const command = new Command('check').description('Counts anew what is stored, and mends counters that are wrong.');
  for (const option of adminOptions()) command.addOption(option);
  return command
    .addHelpText(
      'after',
      adminHelp(['longshore admin quota check'], 'The service does so each night. Each line is a counter that was wrong.'),
    )
    .action(async (flags: AdminFlags) => {
      const { mendQuotas } = await import('#service/admin/quotas.ts');
      await withDatabase(flags, async (db) => {
        const wrong = await printRecords(mendQuotas(db), flags.json, ({ holderId, before, used }) =>
          columns([holderId, 36], [`${before} bytes were counted, there are ${used}`, 0]),
        );
        if (wrong === 0 && !flags.json) process.stdout.write('All counters are right.\n');
      });
    });
}
