import type { FileSystem } from '#filesystem/port.ts';
import { EngineError } from './errors.ts';
import type { MountChild } from './gateway/mount-process/mount-child.ts';
import type { TransportTimeouts } from './io/transport.ts';
import type { Clock, Log, Tracer } from './ports.ts';
import type { openDatabase } from './state/database.ts';
import type { RenewPackageToken } from './transfer/job.ts';

/** What an engine is started with. */
export interface EngineOptions {
  /** Created if missing; one engine at a time. */
  readonly dataDir: string;
  /** The hosted API; a path prefix and a slash at the end are fine. */
  readonly serviceUrl: string;
  /** The session, instead of signing in. It is not stored: pass it at every start. */
  readonly apiKey?: string | undefined;
  readonly version: string;
  readonly log: Log;
  /** The newest lines of the log (engine/support/recent-log.ts), for the support bundle. */
  readonly recentLog?: (() => readonly string[]) | undefined;
  /** `auto` (the default) uses the system's keychain if it works. */
  readonly secrets?: 'auto' | 'vault';
  /** Opens the vault file instead of the key beside it. Default: `LONGSHORE_VAULT_KEY`. */
  readonly vaultKey?: string | undefined;
  /** The allowed folders (setting `allowed_roots`); if given here, no setting overrides them. */
  readonly allowedRoots?: readonly string[] | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** The disks of what is sent and received; by default the real ones. */
  readonly fileSystem?: FileSystem;
  /** Opens the state file. */
  readonly openState?: typeof openDatabase;
  /** Renews tokens of transfers that began with one; without it they end when theirs is refused. */
  readonly renewPackageToken?: RenewPackageToken;
  /** Whether the mounts of the storage gateway are served, as an agent does that stays; true by default. */
  readonly servesMounts?: boolean;
  /** Starts the process of a mount, where a child of Node cannot be one, as in the desktop app. */
  readonly startMountChild?: (() => MountChild) | undefined;
  /** Timeouts for a silent remote side, if not the defaults. */
  readonly timeouts?: TransportTimeouts;
  /** Records what transfers do, where there is a collector of traces. */
  readonly tracer?: Tracer | undefined;
}

/** The address of the service without slashes at the end; an `EngineError` if it is none. */
export function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password) return text.replace(/\/+$/, '');
  throw new EngineError('bad_service_url', `"${text}" is not the address of a service. Give one like https://longshore.example.com.`);
}
