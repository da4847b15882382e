import { type Command, Option } from 'commander';
import { type Listen, parseListen } from '../listen.ts';
import { dataDirOption, logLevelOption, parseCount, parseLargestBody, parseUrl } from '../options.ts';
import { parseQuota, parseRate } from '../sizes.ts';

/** What can be said to `longshore service`, and to what looks at its settings (admin/doctor.ts). */
export interface ServiceFlags {
  readonly role: string;
  readonly listen: Listen;
  readonly storageListen?: Listen;
  readonly metricsListen?: Listen;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly storageUrl?: string;
  readonly smtpUrl?: string;
  readonly mailFrom?: string;
  readonly realtimeUrl?: string;
  readonly publicUrl?: string;
  readonly storagePublicUrl?: string;
  readonly storageMaxBody?: number;
  readonly storageAccel?: 'nginx';
  readonly clamdUrl?: string;
  readonly clamdMaxSize?: number;
  readonly baseDomain?: string;
  readonly appUrl?: string;
  readonly trustProxy?: string;
  readonly proxyProtocol?: 'api' | 'storage' | 'all';
  readonly otlpUrl?: string;
  readonly otlpHeaders?: string;
  readonly traceRatio?: number;
  readonly allowPrivateWebhooks: 'yes' | 'no';
  readonly allowPrivateConnections: 'yes' | 'no';
  readonly allowPrivateSso: 'yes' | 'no';
  readonly transfers: number;
  readonly connectionTransfers: number;
  readonly portalPackages: number;
  readonly portalAnnouncements: number;
  readonly recipientMails: number;
  readonly senderReceipts: number;
  readonly teamStorage?: number | null;
  readonly teamTraffic?: number | null;
  readonly scrubRate: number | null;
  readonly stopDelay: number;
  readonly operator?: readonly string[];
  readonly operatorMfa: 'yes' | 'no';
  readonly ownerEmail?: string;
  readonly ownerPassword?: string;
  readonly ownerPasswordFile?: string;
  readonly team?: string;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
}

/** Each can stand in the environment, too. */
export function addServiceOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--role <roles>', 'what this process does, with commas: api, worker, storage')
        .env('LONGSHORE_ROLE')
        .default('api,worker,storage'),
    )
    .addOption(
      new Option('--listen <host:port>', 'where the API listens')
        .env('LONGSHORE_LISTEN')
        .default({ host: '127.0.0.1', port: 8080 }, '127.0.0.1:8080')
        .argParser(parseListen),
    )
    .addOption(
      new Option('--storage-listen <host:port>', 'where local storage listens (default: the next port)')
        .env('LONGSHORE_STORAGE_LISTEN')
        .argParser(parseListen),
    )
    .addOption(
      new Option('--metrics-listen <host:port>', 'where monitoring reads /metrics, without a credential (default: nowhere)')
        .env('LONGSHORE_METRICS_LISTEN')
        .argParser(parseListen),
    )
    .addOption(
      new Option('--tls-cert <file>', 'certificate in PEM, for TLS without a proxy; read again when it changes').env('LONGSHORE_TLS_CERT'),
    )
    .addOption(new Option('--tls-key <file>', 'key of --tls-cert, in PEM').env('LONGSHORE_TLS_KEY'))
    .addOption(dataDirOption())
    .addOption(new Option('--database-url <url>', 'a PostgreSQL to use (default: a private one in the data folder)').env('DATABASE_URL'))
    .addOption(new Option('--storage-url <url>', 'an S3 bucket to use (default: the local disk)').env('STORAGE_URL'))
    .addOption(new Option('--smtp-url <url>', 'a mail server to send by (default: a folder in the data folder)').env('LONGSHORE_SMTP_URL'))
    .addOption(new Option('--mail-from <sender>', 'whom mail is from: an address, or "Name <address>"').env('LONGSHORE_MAIL_FROM'))
    .addOption(new Option('--realtime-url <url>', "an MQTT broker to tell of packages' progress").env('REALTIME_URL'))
    .addOption(new Option('--public-url <url>', 'address by which others reach the API').env('LONGSHORE_PUBLIC_URL').argParser(parseUrl))
    .addOption(
      new Option('--storage-public-url <url>', 'address by which others reach local storage')
        .env('LONGSHORE_STORAGE_PUBLIC_URL')
        .argParser(parseUrl),
    )
    .addOption(
      new Option('--storage-max-body <size>', 'largest body that the proxy before the storage lets through, as 100MB (default: any)')
        .env('LONGSHORE_STORAGE_MAX_BODY')
        .argParser(parseLargestBody),
    )
    .addOption(
      new Option('--storage-accel <server>', 'the server before local storage that sends downloads from its disk (default: none)')
        .env('LONGSHORE_STORAGE_ACCEL')
        .choices(['nginx']),
    )
    .addOption(
      new Option(
        '--clamd-url <url>',
        'a clamd that scans files for viruses, as tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl (default: none)',
      ).env('LONGSHORE_CLAMD_URL'),
    )
    .addOption(
      new Option('--clamd-max-size <size>', "largest file that it scans, at most clamd's MaxFileSize and StreamMaxLength (default: 25MiB)")
        .env('LONGSHORE_CLAMD_MAX_SIZE')
        .argParser(parseQuota),
    )
    .addOption(new Option('--base-domain <domain>', 'domain under which Portals have addresses of their own').env('LONGSHORE_BASE_DOMAIN'))
    .addOption(
      new Option('--app-url <url>', 'where people get the app, for the pages to lead to').env('LONGSHORE_APP_URL').argParser(parseUrl),
    )
    .addOption(
      new Option('--trust-proxy <addresses>', 'proxies whose X-Forwarded-For is believed, comma-separated').env('LONGSHORE_TRUST_PROXY'),
    )
    .addOption(
      new Option('--proxy-protocol <where>', 'where trusted proxies speak the PROXY protocol (default: nowhere)')
        .env('LONGSHORE_PROXY_PROTOCOL')
        .choices(['api', 'storage', 'all']),
    )
    .addOption(
      new Option('--allow-private-webhooks [yes|no]', 'whether webhooks may go to loopback and private networks')
        .env('LONGSHORE_ALLOW_PRIVATE_WEBHOOKS')
        .choices(['yes', 'no'])
        .preset('yes')
        .default('no'),
    )
    .addOption(
      new Option('--allow-private-connections [yes|no]', 'whether cloud connections may lead to loopback and private networks')
        .env('LONGSHORE_ALLOW_PRIVATE_CONNECTIONS')
        .choices(['yes', 'no'])
        .preset('yes')
        .default('no'),
    )
    .addOption(
      new Option('--allow-private-sso [yes|no]', 'whether providers of single sign-on may be in loopback and private networks')
        .env('LONGSHORE_ALLOW_PRIVATE_SSO')
        .choices(['yes', 'no'])
        .preset('yes')
        .default('no'),
    )
    .addOption(
      new Option('--transfers <number>', 'transfers to cloud connections at once, on this node')
        .env('LONGSHORE_TRANSFERS')
        .default(4)
        .argParser(parseCount(0)),
    )
    .addOption(
      new Option('--connection-transfers <number>', 'transfers of one cloud connection at once, in all processes')
        .env('LONGSHORE_CONNECTION_TRANSFERS')
        .default(2)
        .argParser(parseCount(1)),
    )
    .addOption(
      new Option('--portal-packages <number>', 'packages that one address begins through one Portal, an hour')
        .env('LONGSHORE_PORTAL_PACKAGES')
        .default(60)
        .argParser(parseCount(1)),
    )
    .addOption(
      new Option('--portal-announcements <number>', 'packages from one address that one Portal tells of by mail, a day')
        .env('LONGSHORE_PORTAL_ANNOUNCEMENTS')
        .default(200)
        .argParser(parseCount(0)),
    )
    .addOption(
      new Option('--recipient-mails <number>', 'mails of Portals to one of their recipients, a day')
        .env('LONGSHORE_RECIPIENT_MAILS')
        .default(200)
        .argParser(parseCount(0)),
    )
    .addOption(
      new Option('--sender-receipts <number>', 'receipts by mail to one address that senders gave as theirs, a day')
        .env('LONGSHORE_SENDER_RECEIPTS')
        .default(10)
        .argParser(parseCount(0)),
    )
    .addOption(
      new Option('--team-storage <size>', 'what each new Team may store, as 500GB (default: any)')
        .env('LONGSHORE_TEAM_STORAGE')
        .argParser(parseQuota),
    )
    .addOption(
      new Option('--team-traffic <size>', 'what each new Team may send in a month of UTC, as 2TB (default: any)')
        .env('LONGSHORE_TEAM_TRAFFIC')
        .argParser(parseQuota),
    )
    .addOption(
      new Option('--scrub-rate <size>', 'what the nightly check of stored bytes reads a second, as 20MB; none: it does not run')
        .env('LONGSHORE_SCRUB_RATE')
        .default(20_000_000, '20MB')
        .argParser(parseRate),
    )
    .addOption(
      new Option('--stop-delay <seconds>', 'for how long it still takes calls when it is to stop, not ready any more')
        .env('LONGSHORE_STOP_DELAY')
        .default(0)
        .argParser(parseCount(0)),
    )
    .addOption(
      new Option('--operator <address>', 'who operates the service in the console; several: repeat it, or commas')
        .env('LONGSHORE_OPERATORS')
        .argParser(collectAddresses),
    )
    .addOption(
      new Option('--operator-mfa [yes|no]', 'whether operators need a second factor')
        .env('LONGSHORE_OPERATOR_MFA')
        .choices(['yes', 'no'])
        .preset('yes')
        .default('no'),
    )
    .addOption(
      new Option('--otlp-url <url>', 'a collector of OpenTelemetry for traces, as http://127.0.0.1:4318 (default: none)').env(
        'OTEL_EXPORTER_OTLP_ENDPOINT',
      ),
    )
    .addOption(
      new Option('--otlp-headers <headers>', 'what the collector asks to see, as name=value,other=value').env('OTEL_EXPORTER_OTLP_HEADERS'),
    )
    .addOption(
      new Option('--trace-ratio <number>', 'share of traces that are kept, from 0 to 1 (default: 1)')
        .env('OTEL_TRACES_SAMPLER_ARG')
        .argParser(Number),
    )
    .addOption(new Option('--owner-email <address>', 'first start: the owner').env('LONGSHORE_OWNER_EMAIL'))
    .addOption(new Option('--owner-password <password>', "first start: the owner's password").env('LONGSHORE_OWNER_PASSWORD'))
    .addOption(
      new Option('--owner-password-file <file>', "first start: file with the owner's password").env('LONGSHORE_OWNER_PASSWORD_FILE'),
    )
    .addOption(new Option('--team <name>', 'first start: the Team').env('LONGSHORE_TEAM'))
    .addOption(logLevelOption());
}

const collectAddresses = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== ''),
];
