import type { Generated, JSONColumnType } from 'kysely';
import type { TaskAnswer } from '#protocol/hosted/gateways.ts';
import type { GatewayRequest } from '../../gateways/ports.ts';

/** Tables of migration 0022: storage gateways. */
export interface GatewayTables {
  storage_gateways: {
    id: string;
    team_id: string;
    created_by: string | null;
    name: string;
    platform: string;
    version: string;
    /** The poll that waits now, in one of the processes. */
    poll_id: Generated<string | null>;
    /** From then on it is taken for gone, by the database's clock; null: it is offline. */
    online_until: Generated<Date | null>;
    last_seen_at: Generated<Date | null>;
    created_at: Date;
  };
  /** What somebody waits for. */
  gateway_requests: {
    id: string;
    storage_gateway_id: string;
    cloud_connection_id: string;
    request: JSONColumnType<GatewayRequest>;
    attempts: Generated<number>;
    /** Null: not handed out yet. By the database's clock. */
    leased_until: Generated<Date | null>;
    answer: JSONColumnType<TaskAnswer, never, string | null> | null;
    created_at: Generated<Date>;
  };
  /** Files that tasks have added to packages, or were about to: there may be no such file. */
  gateway_files: { transfer_id: string; file_id: string };
}
