import { type Kysely, sql } from 'kysely';

/** Invitations to Teams, password resets, and the mail about them, which refers to no package. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Closed invitations are kept for a while, so that late visitors get an explanation, and mails can be counted.
  await sql`
    create table invitations (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      email text not null,
      name text not null,
      role text not null check (role in ('owner', 'admin', 'integration_manager', 'member', 'guest')),
      invited_by uuid not null references users on delete cascade,
      token_hash bytea not null unique,
      expires_at timestamptz(3) not null,
      accepted_at timestamptz(3),
      revoked_at timestamptz(3),
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`
    create unique index invitations_open on invitations (team_id, lower(email))
    where accepted_at is null and revoked_at is null`.execute(db);
  await sql`create index invitations_invited_by on invitations (invited_by)`.execute(db);
  await sql`create index invitations_expires_at on invitations (expires_at)`.execute(db);
  await sql`
    create table password_resets (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      token_hash bytea not null unique,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3),
      created_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index password_resets_user on password_resets (user_id)`.execute(db);
  await sql`create index password_resets_expires_at on password_resets (expires_at)`.execute(db);

  await sql`alter table messages alter column package_id drop not null`.execute(db);
  await sql`alter table messages drop constraint messages_kind_check`.execute(db);
  await sql`
    alter table messages
      add column language text not null default 'en' check (language in ('en', 'de')),
      add column invitation_id uuid references invitations on delete cascade,
      add column password_reset_id uuid references password_resets on delete cascade,
      add constraint messages_kind_check check (
        case kind
          when 'link' then package_id is not null
          when 'receipt' then package_id is not null
          when 'invitation' then invitation_id is not null
          when 'password_reset' then password_reset_id is not null
          else kind in ('password_changed', 'email_changed')
        end)`.execute(db);
  await sql`create index messages_invitation on messages (invitation_id)`.execute(db);
  await sql`create index messages_password_reset on messages (password_reset_id)`.execute(db);
  await sql`create index messages_of_accounts on messages (lower(recipient), created_at) where package_id is null`.execute(db);

  // Until now a new person's first password was chosen by the one who added them, who may still know it if it was
  // never changed.
  await sql`alter table users add column password_given boolean not null default false`.execute(db);
  await sql`update users set password_given = true where token_version = 1`.execute(db);
}
