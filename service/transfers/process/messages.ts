import type { DatabaseConnection } from '../../database/database-connection.ts';
import type { LogLevel } from '../../log.ts';
import type { ServiceOptions } from '../../options.ts';
import type { SenderLimits } from '../../portals/sender-limits.ts';
import type { StorageAccess } from '../../roles/storage.ts';
import type { TransferLimits } from '../ports.ts';

/** What the service and its process for transfers say to each other, as JSON. */

/** Sent once, first. It holds secrets, so none of it is in arguments or the environment, which other processes may see. */
export interface Beginning extends Pick<ServiceOptions, 'storageMaxBody' | 'allowPrivateConnections'> {
  readonly type: 'begin';
  readonly connection: DatabaseConnection;
  /** The service's, in base64. */
  readonly secret: string;
  readonly storage: StorageAccess;
  readonly limits: TransferLimits;
  readonly senderLimits: SenderLimits;
  readonly logLevel: LogLevel;
}

export type ToTransfers =
  | Beginning
  | { readonly type: 'wake' }
  | { readonly type: 'stop' }
  /** `TransferRunner.limitParts`. */
  | { readonly type: 'limit'; readonly share: number };

export type FromTransfers =
  /** Its event loop goes round. */
  | { readonly type: 'alive' }
  | { readonly type: 'running'; readonly transfers: number }
  /** A package's transfer has gone on: for those who watch it. */
  | { readonly type: 'changed'; readonly packageId: string }
  | { readonly type: 'ended'; readonly event: 'complete' | 'error' }
  | { readonly type: 'arrived'; readonly bytes: number };
