import { Command } from 'commander';
import type { ServiceOptions } from '#service/options.ts';
import type { StartErrorCode } from '#service/start-error.ts';
import { absolutePath, dataFolders } from '../../folders.ts';
import { type ExitCode, exitCodes, exitCodesHelp } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import { readSecret } from '../options.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import { addServiceOptions, type ServiceFlags } from './service-options.ts';

const help = `
Examples:
  longshore service
  longshore service --listen 0.0.0.0:8080 --public-url https://files.example.com
  LONGSHORE_OWNER_PASSWORD=… longshore service --owner-email mia@example.com --team "Harbour Films"

The first start makes the first Team and its owner. What you do not give is generated and printed once.
Every option can stand in the environment under the name shown beside it. Flags show in the process list:
give secrets by file or environment.

When it is ready it prints one line with its address. It stops on SIGTERM and Ctrl-C, giving what is under
way 10 s to finish; a second signal ends it at once.
${exitCodesHelp(['ok', 'failure', 'usage', 'unreachable', 'local', 'listen'])}`;

/** `longshore service`: the hosted API, its storage and its database in one process, or a part of that. */
export function serviceCommand(): Command {
  return addServiceOptions(new Command('service').description('Runs the service: the hosted API, its storage and its database.'))
    .addHelpText('after', help)
    .action(run);
}

async function run(flags: ServiceFlags): Promise<void> {
  const { tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new CommandError(exitCodes.usage, 'TLS needs a certificate and its key: give both --tls-cert and --tls-key.');
  const password = readSecret(flags.ownerPassword, flags.ownerPasswordFile, "owner's password");
  // Loaded lazily, so that other commands do not load the service.
  const [{ startRoles }, { parseRoles }, { StartError }, { createLogger }, { serviceActivity }, { startWatchdog }] = await Promise.all([
    import('#service/server.ts'),
    import('#service/roles/roles.ts'),
    import('#service/start-error.ts'),
    import('#service/log.ts'),
    import('#service/activity-channel.ts'),
    import('../../watchdog/watchdog.ts'),
  ]);
  const log = createLogger(flags.logLevel);
  const watching = {
    activities: [serviceActivity],
    output: process.stderr.fd,
    plain: false,
    stood: (ms: number) => log.error({ stood_ms: ms }, 'the event loop goes on after it has stood'),
  };
  const watchdog = flags.logLevel === 'silent' ? null : startWatchdog(watching);
  const fail = (error: unknown): never => {
    throw error instanceof StartError ? new CommandError(byStartError[error.code], error.message, { cause: error }) : error;
  };
  await runUntilStopped('service', async () => {
    const service = await Promise.try(() => startRoles({ roles: parseRoles(flags.role), ...settingsOf(flags, password) })).catch(fail);
    if (service.firstRun) process.stdout.write(firstRunText(service.firstRun));
    const stopMs = (flags.stopDelay + flags.stopLimit) * 1_000;
    return { url: service.url, failed: service.failed, close: () => service.close(), stopMs };
  }).finally(() => watchdog?.close());
}

/** What was said, as the service takes it. */
function settingsOf(flags: ServiceFlags, password: string | undefined): Omit<ServiceOptions, 'roles'> {
  const { tlsCert, tlsKey } = flags;
  return {
    listen: flags.listen,
    dataDir: dataFolders(absolutePath(flags.dataDir, process.cwd())).service,
    owner: given({ email: flags.ownerEmail, password, team: flags.team }),
    logLevel: flags.logLevel,
    allowPrivateWebhooks: flags.allowPrivateWebhooks === 'yes',
    allowPrivateConnections: flags.allowPrivateConnections === 'yes',
    allowPrivateSso: flags.allowPrivateSso === 'yes',
    newTeamQuotas: { storage: flags.teamStorage ?? null, traffic: flags.teamTraffic ?? null },
    scrubRate: flags.scrubRate,
    stopDelaySeconds: flags.stopDelay,
    stopLimitSeconds: flags.stopLimit,
    operators: flags.operator ?? [],
    operatorMfa: flags.operatorMfa === 'yes',
    transfers: { perNode: flags.transfers, perConnection: flags.connectionTransfers, ownProcess: true },
    limits: {
      senders: {
        packagesPerHour: flags.portalPackages,
        announcementsPerDay: flags.portalAnnouncements,
        mailsPerRecipientAndDay: flags.recipientMails,
        receiptsPerAddressAndDay: flags.senderReceipts,
      },
    },
    ...given({
      tls: tlsCert !== undefined && tlsKey !== undefined ? { cert: tlsCert, key: tlsKey } : undefined,
      storageListen: flags.storageListen,
      metricsListen: flags.metricsListen,
      databaseUrl: flags.databaseUrl,
      storageUrl: flags.storageUrl,
      smtpUrl: flags.smtpUrl,
      mailFrom: flags.mailFrom,
      realtimeUrl: flags.realtimeUrl,
      publicUrl: flags.publicUrl,
      storagePublicUrl: flags.storagePublicUrl,
      storageMaxBody: flags.storageMaxBody,
      storageAccel: flags.storageAccel,
      clamd: flags.clamdUrl === undefined ? undefined : { url: flags.clamdUrl, ...given({ maxBytes: flags.clamdMaxSize }) },
      baseDomain: flags.baseDomain,
      appUrl: flags.appUrl,
      trustProxy: flags.trustProxy,
      proxyProtocol: flags.proxyProtocol,
      tracing:
        flags.otlpUrl === undefined
          ? undefined
          : {
              ...{ url: flags.otlpUrl, headers: flags.otlpHeaders, ratio: flags.traceRatio },
              serviceName: process.env['OTEL_SERVICE_NAME'],
            },
    }),
  };
}

/** The exit code for each reason that a start can fail. */
export const byStartError: Readonly<Record<StartErrorCode, ExitCode>> = {
  data_folder_in_use: exitCodes.local,
  data_folder_unwritable: exitCodes.local,
  disk_full: exitCodes.local,
  secret_key_unreadable: exitCodes.local,
  secret_key_of_another_service: exitCodes.local,
  port_taken: exitCodes.listen,
  address_unavailable: exitCodes.listen,
  database_unreachable: exitCodes.unreachable,
  database_cannot_start: exitCodes.failure,
  storage_unusable: exitCodes.unreachable,
  option_invalid: exitCodes.usage,
  restore_unfinished: exitCodes.local,
};

/** Removes the undefined values. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** The account of the first start and its generated secrets. They are shown in clear text only here. */
function firstRunText(made: { email: string; password: string; team: string; generated: readonly string[] }): string {
  const lines = [`First start: made the Team "${made.team}" and its owner.`, `  E-mail:   ${made.email}`];
  if (made.generated.includes('password')) lines.push(`  Password: ${made.password}   (generated; shown only this once)`);
  return `${lines.join('\n')}\n`;
}
