import { Command, Option } from 'commander';
import type { Diagnosis } from '#service/doctor/diagnosis.ts';
import { absolutePath, dataFolders } from '../../../folders.ts';
import { exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { countText, printable } from '../../format.ts';
import { given } from '../service.ts';
import { addServiceOptions, type ServiceFlags } from '../service-options.ts';
import { printJson } from './print.ts';

/** Of the service's options those that are about where it is and what it stands on. */
const looksAt: ReadonlySet<string> = new Set([
  '--listen',
  '--storage-listen',
  '--tls-cert',
  '--tls-key',
  '--data-dir',
  '--database-url',
  '--storage-url',
  '--smtp-url',
  '--mail-from',
  '--clamd-url',
  '--public-url',
  '--storage-public-url',
  '--trust-proxy',
  '--proxy-protocol',
  '--allow-private-webhooks',
  '--log-level',
]);

/** `longshore admin doctor` */
export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'Looks at what the service stands on, with the settings of the service, and says what to do.',
  );
  for (const option of addServiceOptions(new Command()).options) if (looksAt.has(option.long!)) command.addOption(option);
  return command
    .addOption(new Option('--json', 'print JSON').default(false))
    .addHelpText(
      'after',
      `
Examples:
  longshore admin doctor
  set -a; . /etc/longshore/service.env; longshore admin doctor --public-url https://files.example.com

Give it the service's own options or environment, on its machine, as its user. It looks at the data folder and its
disks, ports, certificates, public addresses as seen from here, the database and its clock, the bucket and what browsers
may do there, the mail server, the virus scanner, and the way to receivers of webhooks. It sends no message and no event.
${exitCodesHelp(['ok', 'failure', 'usage'])}`,
    )
    .action(run);
}

async function run(flags: ServiceFlags & { readonly json: boolean }): Promise<void> {
  const { tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new CommandError(exitCodes.usage, 'TLS needs a certificate and its key: give both --tls-cert and --tls-key.');
  const [{ diagnose }, { createLog }] = await Promise.all([import('#service/doctor/doctor.ts'), import('../../../log.ts')]);
  const found: Diagnosis[] = [];
  const options = {
    dataDir: dataFolders(absolutePath(flags.dataDir, process.cwd())).service,
    listen: flags.listen,
    allowPrivateWebhooks: flags.allowPrivateWebhooks === 'yes',
    ...given({
      storageListen: flags.storageListen,
      tls: tlsCert !== undefined && tlsKey !== undefined ? { cert: tlsCert, key: tlsKey } : undefined,
      databaseUrl: flags.databaseUrl,
      storageUrl: flags.storageUrl,
      smtpUrl: flags.smtpUrl,
      mailFrom: flags.mailFrom,
      clamdUrl: flags.clamdUrl,
      publicUrl: flags.publicUrl,
      storagePublicUrl: flags.storagePublicUrl,
      trustProxy: flags.trustProxy,
      proxyProtocol: flags.proxyProtocol,
    }),
  };
  for await (const one of diagnose(options, createLog(flags.logLevel))) {
    found.push(one);
    if (!flags.json) process.stdout.write(`${textOf(one)}\n`);
  }
  if (flags.json) printJson(found);
  const failed = found.filter(({ status }) => status === 'fail').length;
  if (failed > 0)
    throw new CommandError(
      exitCodes.failure,
      `${countText(failed, 'finding')} of ${found.length} to mend before the service works as it should.`,
    );
}

function textOf({ about, status, seen, action }: Diagnosis): string {
  const line = `${status.toUpperCase().padEnd(4)}  ${about.padEnd(15)}  ${printable(seen)}`;
  return action === undefined ? line : `${line}\n${' '.repeat(23)}${printable(action)}`;
}
