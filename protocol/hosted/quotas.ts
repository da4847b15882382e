import { type Static, Type } from 'typebox';
import { Bytes } from '../schema.ts';

/** Limits of what a Team or a Portal uses: contract/quotas.md §1. */

/** Refusals of what would pass a limit. */
export const quotaErrors = ['team_storage_full', 'portal_storage_full', 'team_traffic_used'] as const;

export type QuotaError = (typeof quotaErrors)[number];

/** Bytes; null: no limit. */
export const QuotaLimit = Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
  description: 'Bytes. Null: no limit.',
  examples: [5_000_000_000_000],
});

const Quota = Type.Object({ limit: Bytes, used: Bytes });

export const Quotas = Type.Object(
  {
    storage: Type.Optional({ ...Quota, description: 'All files, also those that are still being sent. Absent: no limit.' }),
    traffic: Type.Optional({ ...Quota, description: 'What was sent in this month (UTC). Absent: no limit.' }),
  },
  { title: 'Quotas', description: 'Only what is limited.' },
);
export type Quotas = Static<typeof Quotas>;
