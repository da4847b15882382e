import type { Generated, JSONColumnType } from 'kysely';
import type { connectionStates } from '#protocol/hosted/connections.ts';
import type { FilterRule } from '#protocol/hosted/filters.ts';
import type { webhookEvents } from '#protocol/hosted/webhook-events.ts';
import type { WebhookDelivery, webhookScopes } from '#protocol/hosted/webhooks.ts';
import type { directions, ProviderName } from '#protocol/providers.ts';
import type { WebhookEvent } from '../../jobs/kinds.ts';

/** Tables of migrations 0003, 0019 and 0031: cloud connections, filters, webhooks. */
export interface IntegrationTables {
  filters: {
    id: string;
    team_id: string;
    name: string;
    rules: JSONColumnType<readonly FilterRule[]>;
    created_at: Date;
    updated_at: Date;
  };
  cloud_connections: {
    id: string;
    team_id: string;
    created_by: string | null;
    name: string;
    provider: ProviderName;
    direction: (typeof directions)[number];
    state: Generated<(typeof connectionStates)[number]>;
    state_message: Generated<string>;
    /** The credentials as JSON, sealed with a key that is not in the database. Empty once they are forgotten. */
    sealed_authorization: Buffer;
    target_directory_id: Generated<string>;
    source_directory_ids: Generated<string[]>;
    upload_transfer_manifest: Generated<boolean>;
    storage_gateway_id: string | null;
    created_at: Date;
    updated_at: Date;
    /** If set: invisible to its Team, kept for transfers in progress. */
    deleted_at: Date | null;
  };
  /** The external ids of roles. Rows stay when their connections are deleted. */
  external_ids: {
    external_id: string;
    team_id: string;
    /** By the service; else the Team gave it. */
    made: boolean;
    created_at: Date;
  };
  custom_webhooks: {
    id: string;
    team_id: string;
    created_by: string | null;
    name: string;
    active: boolean;
    events: (typeof webhookEvents)[number][];
    scope: Generated<(typeof webhookScopes)[number]>;
    method: 'POST' | 'PUT';
    url: string;
    /** Header names and values as JSON, sealed: they often hold a token. */
    sealed_headers: Buffer;
    body_extras: JSONColumnType<Readonly<Record<string, string>>>;
    /** The key that signs requests, sealed. */
    sealed_secret: Buffer;
    created_at: Date;
    updated_at: Date;
    deleted_at: Date | null;
  };
  /** One row per attempt. */
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    event_id: string;
    event_type: (typeof webhookEvents)[number];
    attempt: number;
    state: WebhookDelivery['state'];
    /** Status code of the response; 0: there was none. */
    status: number;
    error: string;
    milliseconds: number;
    /** What was sent, in the row of the first attempt; null in others, and in rows of before migration 0031. */
    event: JSONColumnType<WebhookEvent> | null;
    /** Made up, to try the webhook. */
    test: Generated<boolean>;
    /** Since migration 0040. What it tells of; null for tests, and where it is not known any more. */
    package_id: Generated<string | null>;
    created_at: Date;
  };
}
