import type { Generated } from 'kysely';
import type { NoticeKind } from '#protocol/notices.ts';

/** Table of migration 0038. */
export interface NoticeTables {
  /** One row for each thing that people or webhooks are told of a package, once by `subject`. */
  notices: {
    id: string;
    package_id: string;
    kind: NoticeKind;
    /** What it is told of once: a link, or what failed. */
    subject: string;
    /** The link that was downloaded through, or whose mail failed. */
    link_id: Generated<string | null>;
    /** The transfer that failed. */
    transfer_id: Generated<string | null>;
    /** Why it failed, in English. */
    reason: Generated<string>;
    /** Since when its messages and webhooks are on their way; null before. */
    told_at: Generated<Date | null>;
    created_at: Date;
  };
  /** Who wants to hear no more of a package; addresses in small letters. */
  notice_refusals: { package_id: string; email: string };
}
