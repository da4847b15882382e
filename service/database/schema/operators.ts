import type { ColumnType, JSONColumnType } from 'kysely';
import type { OperatorAction, operatorActorKinds } from '#protocol/hosted/operator.ts';

type Fixed<T> = ColumnType<T, T, never>;

/** The table of migration 0042: what operators did. Triggers refuse changes. */
export interface OperatorTables {
  operator_log: {
    id: Fixed<string>;
    at: Fixed<Date>;
    actor_kind: Fixed<(typeof operatorActorKinds)[number]>;
    /** The operator's e-mail address then; empty for a command and for the service. */
    actor_name: Fixed<string>;
    address: Fixed<string>;
    action: Fixed<OperatorAction>;
    /** Empty for none, like the two after it. */
    target_kind: Fixed<string>;
    target_id: Fixed<string>;
    target_name: Fixed<string>;
    details: JSONColumnType<Readonly<Record<string, unknown>>, string, never>;
  };
}
