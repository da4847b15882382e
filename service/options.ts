import type { Accel } from '#storage/local/nginx-accel.ts';
import type { OwnerOptions } from './accounts/first-start.ts';
import type { AttemptLimit } from './http/attempt-limiter.ts';
import type { ListenAddress } from './http/listener.ts';
import type { RequestLimits } from './http/rate-limits.ts';
import type { LogLevel } from './log.ts';
import type { SenderLimits } from './portals/sender-limits.ts';
import type { QuotaLimits } from './quotas/limits.ts';
import type { Roles } from './roles/roles.ts';
import type { RunningStorage } from './roles/storage.ts';
import type { TxtResolver } from './sso/ports.ts';
import { StartError } from './start-error.ts';
import type { TlsOptions } from './tls/certificate.ts';
import type { TracingOptions } from './tracing/open-tracing.ts';
import type { TransferLimits } from './transfers/ports.ts';

/** The settings of a service, as its command passes them on. */
export interface ServiceOptions {
  /** What this process does (roles/roles.ts); everything by default. */
  readonly roles?: Roles;
  readonly listen: ListenAddress;
  /** Where local storage listens. Default: the same host, and the API's port + 1 (any port if the API's is 0). */
  readonly storageListen?: ListenAddress;
  /** The address of `/metrics`, for the operator's monitoring; without it there are no metrics. It requires no credential. */
  readonly metricsListen?: ListenAddress;
  /** Certificate and key, by which API, pages and local storage speak TLS; without them plain HTTP. */
  readonly tls?: TlsOptions;
  readonly dataDir: string;
  /** The operator's PostgreSQL, `postgres://…`; without it a private one runs in the data folder. */
  readonly databaseUrl?: string;
  /** Local storage has no thread of its own. For tests: starting one costs a third of a service's start. */
  readonly storageInProcess?: boolean;
  /** An S3-compatible storage (format: storage/open.ts); without it objects are in the data folder. */
  readonly storageUrl?: string;
  /** An already open storage, instead of both. The caller closes it, after all services that use it. */
  readonly storage?: Omit<RunningStorage, 'close' | 'access' | 'useCertificate' | 'packed'>;
  /** A mail server, `smtp://…` (format: mail/smtp-url.ts); without it mail is written to the data folder. */
  readonly smtpUrl?: string;
  /** The sender of mail: `Name <address>` or an address. */
  readonly mailFrom?: string;
  /** An MQTT broker for the progress of packages, `mqtt[s]://…` (format: realtime/broker-url.ts). */
  readonly realtimeUrl?: string;
  /** The public addresses of the API and the storage, if they are not the addresses listened on. */
  readonly publicUrl?: string;
  readonly storagePublicUrl?: string;
  /** The largest body, in bytes, that a proxy before the storage lets through; unlimited by default. */
  readonly storageMaxBody?: number;
  /** An nginx before local storage sends the bytes of downloads (docs/operating/storage.md). */
  readonly storageAccel?: Accel;
  /** The domain for addresses of Portals, `{subdomain}.{base domain}`: `example.com`. */
  readonly baseDomain?: string;
  /** Where people get the app, `https://…`: the pages link to it if the app does not open. */
  readonly appUrl?: string;
  /** For the first start only. */
  readonly owner?: OwnerOptions;
  /** What Teams made from this start on may use; no limits by default (quotas/new-teams.ts). */
  readonly newTeamQuotas?: QuotaLimits;
  /** Bytes a second that the nightly check of the storage reads; null for none (integrity/scrub.ts). */
  readonly scrubRate?: number | null;
  /** ClamAV's daemon, `tcp://…` or `unix://…` (viruses/clamd-address.ts); without it files are not scanned. `maxBytes`: of a file. */
  readonly clamd?: { readonly url: string; readonly maxBytes?: number };
  /** For how long it still takes calls when it is to stop, and says at /readyz that it is not ready. Default: none. */
  readonly stopDelaySeconds?: number;
  /** How long a stop in order may take after that. Default: 28. */
  readonly stopLimitSeconds?: number;
  /** E-mail addresses of operators, who are made such at each start (operator/operators.ts). */
  readonly operators?: readonly string[];
  /** Operators need a second factor. */
  readonly operatorMfa?: boolean;
  readonly logLevel?: LogLevel;
  /** A collector of OpenTelemetry that gets spans; without it none are recorded. */
  readonly tracing?: TracingOptions;
  /** The file of the log; standard error unless given. */
  readonly logFile?: string;
  readonly limits?: Partial<RequestLimits> & { readonly attempts?: AttemptLimit; readonly senders?: Partial<SenderLimits> };
  /** Addresses of proxies whose `X-Forwarded-For` is trusted, comma-separated. */
  readonly trustProxy?: string;
  /** Where connections of these proxies begin with a header of the PROXY protocol (net/proxy-protocol/); nowhere by default. */
  readonly proxyProtocol?: 'api' | 'storage' | 'all';
  /** Allows webhooks to loopback and private networks. By default only public addresses are allowed. */
  readonly allowPrivateWebhooks?: boolean;
  /** Allows cloud connections to loopback and private networks. By default only public addresses are allowed. */
  readonly allowPrivateConnections?: boolean;
  /** Allows providers of single sign-on in loopback and private networks, and without TLS there. By default only public addresses are allowed. */
  readonly allowPrivateSso?: boolean;
  /** How TXT records of domains are looked up; by default by the machine's resolver. */
  readonly resolveTxt?: TxtResolver;
  /**
   * Transfers to and from cloud connections at once. `ownProcess`: in a process of their own, below the API in priority, unless
   * `storage` or `now` is given, which another process could not have. Default: in this one.
   */
  readonly transfers?: Partial<TransferLimits> & { readonly ownProcess?: boolean };
  /** The folder with the built pages; by default the project's `web/dist`. */
  readonly webDir?: string;
  readonly now?: () => Date;
}

/** The PROXY protocol needs proxies that are trusted. Errors: `StartError`. */
export function checkProxies({ trustProxy, proxyProtocol }: Pick<ServiceOptions, 'trustProxy' | 'proxyProtocol'>): void {
  if (proxyProtocol === undefined || (trustProxy ?? '').trim() !== '') return;
  throw new StartError(
    'option_invalid',
    'The PROXY protocol (--proxy-protocol) is read from trusted proxies only. Name them by --trust-proxy, as --trust-proxy 10.0.0.5.',
  );
}

/** Checks that the public addresses are URLs, and returns those that are given. Errors: `StartError`. */
export function publicAddresses({ publicUrl, storagePublicUrl }: Pick<ServiceOptions, 'publicUrl' | 'storagePublicUrl'>): string[] {
  const given = [publicUrl, storagePublicUrl].filter((address) => address !== undefined);
  for (const address of given) {
    if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) continue;
    throw new StartError('option_invalid', `${address} is not a public address. Give it like https://files.example.com.`);
  }
  return given;
}
