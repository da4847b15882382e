import type { ColumnType, JSONColumnType } from 'kysely';
import type { AuditAction, auditActorKinds } from '#protocol/hosted/audit.ts';

/** Never updated, and deleted by the retention job alone: triggers refuse anything else. */
type Fixed<T> = ColumnType<T, T, never>;

/** Tables of migration 0032: the audit log. */
export interface AuditTables {
  audit_entries: {
    id: Fixed<string>;
    team_id: Fixed<string>;
    at: Fixed<Date>;
    action: Fixed<AuditAction>;
    actor_kind: Fixed<(typeof auditActorKinds)[number]>;
    /** The user; of an API key the one it acts for. */
    actor_id: Fixed<string | null>;
    api_key_id: Fixed<string | null>;
    /** As it was then. */
    actor_name: Fixed<string>;
    address: Fixed<string>;
    user_agent: Fixed<string>;
    /** Empty for none, like the two after it. */
    target_kind: Fixed<string>;
    target_id: Fixed<string>;
    target_name: Fixed<string>;
    details: JSONColumnType<Readonly<Record<string, unknown>>, string, never>;
  };
  /** The places of entries, from 1, without a gap. */
  audit_chain: {
    team_id: Fixed<string>;
    position: Fixed<number>;
    entry_id: Fixed<string>;
    /** SHA-256 of the hash before and the entry. */
    hash: Fixed<Buffer>;
  };
  /** Entries that have no place in the chain yet. */
  audit_pending: { entry_id: string; team_id: string };
  /** The last of the entries that retention has removed. */
  audit_anchors: { team_id: string; position: number; hash: Buffer; removed_at: Date };
}
