import type { Generated } from 'kysely';
import type { Role } from '#protocol/roles.ts';

/** Tables of migrations 0015 and 0043. Of mailed tokens only hashes are stored (accounts/mailed-tokens.ts). */
export interface InvitationTables {
  /** Open while neither accepted nor revoked; a Team has at most one open invitation per address, regardless of case. */
  invitations: {
    /** Also the id of the membership that it becomes. */
    id: string;
    team_id: string;
    /** As typed. */
    email: string;
    /** The person's name, as given by the one who invites. */
    name: string;
    role: Role;
    /** The user responsible for it: it ends when they may no longer give this role. */
    invited_by: string;
    token_hash: Buffer;
    expires_at: Date;
    accepted_at: Date | null;
    revoked_at: Date | null;
    created_at: Date;
  };
  /** One row per mail; a user has at most one that is open. */
  email_changes: {
    id: string;
    user_id: string;
    /** The wanted address. */
    email: string;
    token_hash: Buffer;
    /** `ended`: cancelled, or another mail, wish or password came after it. */
    state: Generated<'open' | 'confirmed' | 'ended'>;
    expires_at: Date;
    created_at: Date;
  };
  password_resets: {
    id: string;
    user_id: string;
    token_hash: Buffer;
    expires_at: Date;
    used_at: Date | null;
    created_at: Date;
  };
}
