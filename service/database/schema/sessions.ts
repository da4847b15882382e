/** Table of migration 0024. */
export interface SessionTables {
  /** One for each sign-in. Its row is deleted when it ends. */
  sessions: {
    id: string;
    user_id: string;
    /** `browser`: by a cookie. `program`: by a user token. */
    kind: 'browser' | 'program';
    /** SHA-256 of the cookie's secret, which is stored nowhere; null for a user token, which is signed. */
    secret_hash: Buffer | null;
    /** The user's version at the sign-in: a session of an earlier one is over. */
    token_version: number;
    /** As the program calls itself, at most 200 characters; empty if it does not. */
    user_agent: string;
    /** The address of the network that it was last seen at. */
    address: string;
    created_at: Date;
    last_seen_at: Date;
    expires_at: Date;
    /** Since migration 0039: the Team through whose company it signed in, in which alone it counts; null for all others. */
    sso_team_id: string | null;
  };
}
