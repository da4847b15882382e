import { type Command, Option } from 'commander';
import type { LogLevel } from '../../log-levels.ts';
import { parseListen } from '../listen.ts';
import { dataDirOption, logLevelOption, parseCount, parseLargestBody, parseUrl } from '../options.ts';
import { parseBytes, parseQuota, parseRate } from '../sizes.ts';

/** An option, with the types of its flag and its value. */
interface Setting<Flag extends string, Value> {
  readonly option: Option;
  /** Of types alone. */
  readonly is?: readonly [Flag, Value];
}

/** Each can stand in the environment, too. */
const ready = <const Flag extends string, Value>(option: Option): Setting<Flag, Value> => ({ option });
const text = <const Flag extends string>(flag: Flag, variable: string, help: string) =>
  ready<Flag, string | undefined>(new Option(flag, help).env(variable));
const parsed = <const Flag extends string, Value>(
  flag: Flag,
  variable: string,
  help: string,
  parse: (text: string, before?: Value) => Value,
) => ready<Flag, Value | undefined>(new Option(flag, help).env(variable).argParser(parse));
const oneOf = <const Flag extends string, const Value extends string>(
  flag: Flag,
  variable: string,
  help: string,
  values: readonly Value[],
) => ready<Flag, Value | undefined>(new Option(flag, help).env(variable).choices(values));
const yesOrNo = <const Flag extends string>(flag: Flag, variable: string, help: string) =>
  ready<Flag, 'yes' | 'no'>(new Option(flag, help).env(variable).choices(['yes', 'no']).preset('yes').default('no'));
const count = <const Flag extends string>(flag: Flag, variable: string, help: string, least: number, usual: number) =>
  ready<Flag, number>(new Option(flag, help).env(variable).default(usual).argParser(parseCount(least)));
/** `shown`: the default value in the help. */
const orElse = <Flag extends string, Value>({ option }: Setting<Flag, Value | undefined>, value: Value, shown?: string) =>
  ready<Flag, Value>(option.default(value, shown));

const collectAddresses = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== ''),
];

/** Name, variable, help and type of each stand here alone. */
const settings = () => [
  orElse(text('--role <roles>', 'LONGSHORE_ROLE', 'what this process does, with commas: api, worker, storage'), 'api,worker,storage'),
  orElse(
    parsed('--listen <host:port>', 'LONGSHORE_LISTEN', 'where the API listens', parseListen),
    { host: '127.0.0.1', port: 8080 },
    '127.0.0.1:8080',
  ),
  parsed('--storage-listen <host:port>', 'LONGSHORE_STORAGE_LISTEN', 'where local storage listens (default: the next port)', parseListen),
  parsed(
    '--metrics-listen <host:port>',
    'LONGSHORE_METRICS_LISTEN',
    'where monitoring reads /metrics, without a credential (default: nowhere)',
    parseListen,
  ),
  text('--tls-cert <file>', 'LONGSHORE_TLS_CERT', 'certificate in PEM, for TLS without a proxy; read again when it changes'),
  text('--tls-key <file>', 'LONGSHORE_TLS_KEY', 'key of --tls-cert, in PEM'),
  ready<'--data-dir <folder>', string>(dataDirOption()),
  text('--database-url <url>', 'DATABASE_URL', 'a PostgreSQL to use (default: a private one in the data folder)'),
  text('--storage-url <url>', 'STORAGE_URL', 'an S3 bucket to use (default: the local disk)'),
  text('--smtp-url <url>', 'LONGSHORE_SMTP_URL', 'a mail server to send by (default: a folder in the data folder)'),
  text('--mail-from <sender>', 'LONGSHORE_MAIL_FROM', 'whom mail is from: an address, or "Name <address>"'),
  text('--realtime-url <url>', 'REALTIME_URL', "an MQTT broker to tell of packages' progress"),
  parsed('--public-url <url>', 'LONGSHORE_PUBLIC_URL', 'address by which others reach the API', parseUrl),
  parsed('--storage-public-url <url>', 'LONGSHORE_STORAGE_PUBLIC_URL', 'address by which others reach local storage', parseUrl),
  parsed(
    '--storage-max-body <size>',
    'LONGSHORE_STORAGE_MAX_BODY',
    'largest body that the proxy before the storage lets through, as 100MB (default: any)',
    parseLargestBody,
  ),
  oneOf(
    '--storage-accel <server>',
    'LONGSHORE_STORAGE_ACCEL',
    'the server before local storage that sends downloads from its disk (default: none)',
    ['nginx'],
  ),
  text(
    '--clamd-url <url>',
    'LONGSHORE_CLAMD_URL',
    'a clamd that scans files for viruses, as tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl (default: none)',
  ),
  parsed(
    '--clamd-max-size <size>',
    'LONGSHORE_CLAMD_MAX_SIZE',
    "largest file that it scans, at most clamd's MaxFileSize and StreamMaxLength (default: 25MiB)",
    parseBytes,
  ),
  text('--base-domain <domain>', 'LONGSHORE_BASE_DOMAIN', 'domain under which Portals have addresses of their own'),
  parsed('--app-url <url>', 'LONGSHORE_APP_URL', 'where people get the app, for the pages to lead to', parseUrl),
  text('--trust-proxy <addresses>', 'LONGSHORE_TRUST_PROXY', 'proxies whose X-Forwarded-For is believed, comma-separated'),
  oneOf('--proxy-protocol <where>', 'LONGSHORE_PROXY_PROTOCOL', 'where trusted proxies speak the PROXY protocol (default: nowhere)', [
    'api',
    'storage',
    'all',
  ]),
  yesOrNo(
    '--allow-private-webhooks [yes|no]',
    'LONGSHORE_ALLOW_PRIVATE_WEBHOOKS',
    'whether webhooks may go to loopback and private networks',
  ),
  yesOrNo(
    '--allow-private-connections [yes|no]',
    'LONGSHORE_ALLOW_PRIVATE_CONNECTIONS',
    'whether cloud connections may lead to loopback and private networks',
  ),
  yesOrNo(
    '--allow-private-sso [yes|no]',
    'LONGSHORE_ALLOW_PRIVATE_SSO',
    'whether providers of single sign-on may be in loopback and private networks',
  ),
  count('--transfers <number>', 'LONGSHORE_TRANSFERS', 'transfers to cloud connections at once, on this node', 0, 4),
  count(
    '--connection-transfers <number>',
    'LONGSHORE_CONNECTION_TRANSFERS',
    'transfers of one cloud connection at once, in all processes',
    1,
    2,
  ),
  count('--portal-packages <number>', 'LONGSHORE_PORTAL_PACKAGES', 'packages that one address begins through one Portal, an hour', 1, 60),
  count(
    '--portal-announcements <number>',
    'LONGSHORE_PORTAL_ANNOUNCEMENTS',
    'packages from one address that one Portal tells of by mail, a day',
    0,
    200,
  ),
  count('--recipient-mails <number>', 'LONGSHORE_RECIPIENT_MAILS', 'mails of Portals to one of their recipients, a day', 0, 200),
  count(
    '--sender-receipts <number>',
    'LONGSHORE_SENDER_RECEIPTS',
    'receipts by mail to one address that senders gave as theirs, a day',
    0,
    10,
  ),
  parsed('--team-storage <size>', 'LONGSHORE_TEAM_STORAGE', 'what each new Team may store, as 500GB (default: any)', parseQuota),
  parsed(
    '--team-traffic <size>',
    'LONGSHORE_TEAM_TRAFFIC',
    'what each new Team may send in a month of UTC, as 2TB (default: any)',
    parseQuota,
  ),
  orElse(
    parsed(
      '--scrub-rate <size>',
      'LONGSHORE_SCRUB_RATE',
      'what the nightly check of stored bytes reads a second, as 20MB; none: it does not run',
      parseRate,
    ),
    20_000_000,
    '20MB',
  ),
  count('--stop-delay <seconds>', 'LONGSHORE_STOP_DELAY', 'for how long it still takes calls when it is to stop, not ready any more', 0, 0),
  count('--stop-limit <seconds>', 'LONGSHORE_STOP_LIMIT', 'for how long a stop may take after that; then the process ends as it is', 1, 28),
  parsed(
    '--operator <address>',
    'LONGSHORE_OPERATORS',
    'who operates the service in the console; several: repeat it, or commas',
    collectAddresses,
  ),
  yesOrNo('--operator-mfa [yes|no]', 'LONGSHORE_OPERATOR_MFA', 'whether operators need a second factor'),
  text(
    '--otlp-url <url>',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'a collector of OpenTelemetry for traces, as http://127.0.0.1:4318 (default: none)',
  ),
  text('--otlp-headers <headers>', 'OTEL_EXPORTER_OTLP_HEADERS', 'what the collector asks to see, as name=value,other=value'),
  parsed('--trace-ratio <number>', 'OTEL_TRACES_SAMPLER_ARG', 'share of traces that are kept, from 0 to 1 (default: 1)', Number),
  text('--owner-email <address>', 'LONGSHORE_OWNER_EMAIL', 'first start: the owner'),
  text('--owner-password <password>', 'LONGSHORE_OWNER_PASSWORD', "first start: the owner's password"),
  text('--owner-password-file <file>', 'LONGSHORE_OWNER_PASSWORD_FILE', "first start: file with the owner's password"),
  text('--team <name>', 'LONGSHORE_TEAM', 'first start: the Team'),
  ready<'--log-level <level>', LogLevel>(logLevelOption()),
];

/** As commander names it: `--storage-listen <host:port>` is `storageListen`. */
type NameOf<Flag extends string> = Flag extends `--${infer Long} ${string}` ? InCamelCase<Long> : never;
type InCamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<InCamelCase<Rest>>}` : Text;
type FlagAndValue = NonNullable<ReturnType<typeof settings>[number]['is']>;

/** What can be said to `longshore service`, and to what looks at its settings (admin/doctor.ts). */
export type ServiceFlags = { readonly [Is in FlagAndValue as NameOf<Is[0]>]: Is[1] };

export function addServiceOptions(command: Command): Command {
  for (const { option } of settings()) command.addOption(option);
  return command;
}
