import type { Generated } from 'kysely';

/** Tables of migration 0002 for links. */
export interface LinkTables {
  links: {
    id: string;
    package_id: string;
    /** Empty: for no particular recipient. */
    email: string;
    /** Anybody with this secret may open the link. Stored readable, because the list of links shows it. */
    secret: string;
    password_hash: string | null;
    /** How many read tokens may start a download. 0: unlimited. */
    access_limit: number;
    /** How many have started one, if there is a limit. */
    accesses: Generated<number>;
    /** Null: expires with the package. */
    expiry: Date | null;
    disabled_at: Date | null;
    /** Of migration 0047: whoever opens it proves with a mailed code that `email` is theirs. */
    verify_recipient: Generated<boolean>;
    created_at: Date;
  };
  /** The read tokens that started a download, for links with a limit. */
  link_accesses: {
    link_id: string;
    token_id: string;
    started_at: Date;
  };
  /** Of migration 0030: the read tokens that started a download, of all links. */
  downloads: {
    token_id: string;
    link_id: string;
    package_id: string;
    team_id: string;
    user_agent: string;
    address: string;
    started_at: Date;
    /** Of migration 0047: by somebody who proved that the link's address is theirs. */
    verified: Generated<boolean>;
    /** Of migration 0072: the first files that it asked for, and whether there were more. */
    file_ids: Generated<string[]>;
    more_files: Generated<boolean>;
    /** Of migration 0072: everything as one zip. */
    whole: Generated<boolean>;
  };
  /** Of migration 0047: the code of each link that was mailed last. It follows from its message's id (links/codes.ts). */
  link_codes: {
    link_id: string;
    message_id: string;
    /** Answers that were compared with it. */
    guesses: Generated<number>;
    created_at: Date;
    expires_at: Date;
  };
}
