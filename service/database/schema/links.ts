import type { Generated } from 'kysely';

/** Tables of migration 0002 for links. */
export interface LinkTables {
  links: {
    id: string;
    package_id: string;
    /** Empty: for nobody in particular. */
    email: string;
    /** Whoever has it may open the link. Kept readable, because listing the links shows it. */
    secret: string;
    password_hash: string | null;
    /** How many read tokens may start a download. 0: unlimited. */
    access_limit: number;
    /** How many have, where there is a limit. */
    accesses: Generated<number>;
    /** Null: with the package. */
    expiry: Date | null;
    disabled_at: Date | null;
    created_at: Date;
  };
  /** The read tokens that started a download, of links with a limit. */
  link_accesses: {
    link_id: string;
    token_id: string;
    started_at: Date;
  };
}
