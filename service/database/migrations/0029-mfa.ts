import { type Kysely, sql } from 'kysely';

/** Second factors of users, and Teams that ask for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column mfa_since timestamptz(3)`.execute(db);
  await sql`alter table teams add column mfa_required boolean not null default false`.execute(db);
  await sql`
    create table totp_secrets (
      user_id uuid primary key references users (id) on delete cascade,
      sealed bytea,
      last_step bigint not null default 0,
      pending_sealed bytea,
      pending_until timestamptz(3),
      check ((pending_sealed is null) = (pending_until is null))
    )`.execute(db);
  await sql`
    create table recovery_codes (
      user_id uuid not null references users (id) on delete cascade,
      code_hash bytea not null,
      primary key (user_id, code_hash)
    )`.execute(db);
  await sql`
    create table passkeys (
      id uuid primary key,
      user_id uuid not null references users (id) on delete cascade,
      credential_id text not null unique,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      name text not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    )`.execute(db);
  await sql`create index passkeys_user on passkeys (user_id, id)`.execute(db);
  await sql`
    create table used_challenges (
      nonce uuid primary key,
      expires_at timestamptz(3) not null
    )`.execute(db);
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages add constraint messages_kind_check check (
      case kind
        when 'link' then package_id is not null
        when 'receipt' then package_id is not null
        when 'invitation' then invitation_id is not null
        when 'password_reset' then password_reset_id is not null
        when 'transfer' then transfer_id is not null
        when 'portal_request' then portal_request_id is not null
        else kind in ('password_changed', 'email_changed', 'factor_added', 'factor_removed')
      end)`.execute(db);
}
