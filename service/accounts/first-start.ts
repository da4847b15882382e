import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { limits } from '#protocol/limits.ts';
import { hasBidiControl, isBlank } from '#protocol/names.ts';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import { limitNewTeam } from '../quotas/new-teams.ts';
import { otherKey, StartError } from '../start-error.ts';
import { subdomainOf } from '../teams/subdomain.ts';
import { isEmail } from './email.ts';
import { generatePassword, hashPassword } from './passwords.ts';

/** The names of the first owner and Team; missing values are chosen or generated. */
export interface OwnerOptions {
  readonly email?: string;
  /** At least 8 characters. */
  readonly password?: string;
  /** The Team's name. */
  readonly team?: string;
}

/** The result of a first start. `generated` names those of `email`, `password`, `team` that were not given. */
export interface FirstRun {
  readonly email: string;
  readonly password: string;
  readonly team: string;
  readonly teamId: string;
  readonly generated: readonly string[];
}

/** An arbitrary lock number: services that start on one database at the same time are serialised by it. */
const firstStartLock = 0x10a65;

/**
 * On a database without a user: creates the first Team and its owner. Also binds the database to the service's
 * secret. A service with another secret, whose tokens would be invalid, then reports that instead of working only in
 * part. Errors: `StartError`.
 */
export async function firstStart(db: Kysely<Database>, owner: OwnerOptions, secret: Uint8Array, now: Date): Promise<FirstRun | null> {
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${firstStartLock})`.execute(trx);
    await checkSecret(trx, secret);
    const anyone = await trx.selectFrom('users').select('id').limit(1).executeTakeFirst();
    if (anyone) return null;
    const { first, generated } = chosen(owner);
    const teamId = newId();
    const userId = newId();
    const times = { created_at: now, updated_at: now };
    await trx
      .insertInto('teams')
      .values({
        id: teamId,
        name: first.team,
        subdomain: subdomainOf(first.team),
        custom_expiry_default: limits.defaultExpiryDays,
        ...times,
      })
      .execute();
    await trx
      .insertInto('users')
      .values({
        id: userId,
        email: first.email,
        name: first.email.split('@')[0]!,
        password_hash: await hashPassword(first.password),
        primary_team_id: teamId,
        preferred_team_id: teamId,
        ...times,
      })
      .execute();
    await trx.insertInto('memberships').values({ id: newId(), team_id: teamId, user_id: userId, role: 'owner', created_at: now }).execute();
    await limitNewTeam(trx, teamId);
    return { ...first, teamId, generated };
  });
}

/** Binds the database to the service's secret, or finds that it is bound to another one. Errors: `StartError`. */
export async function bindSecret(db: Kysely<Database>, secret: Uint8Array): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${firstStartLock})`.execute(trx);
    await checkSecret(trx, secret);
  });
}

async function checkSecret(trx: Kysely<Database>, secret: Uint8Array): Promise<void> {
  if (await isBoundTo(trx, secret)) return;
  await trx
    .insertInto('service_facts')
    .values({ name: fingerprintName, value: fingerprintOf(secret) })
    .execute();
}

const fingerprintName = 'secret_fingerprint';
const fingerprintOf = (secret: Uint8Array): string => createHmac('sha256', secret).update('longshore database').digest('hex');

/** False where the database is bound to no secret yet. Errors: `StartError` where it is to another one. */
export async function isBoundTo(db: Kysely<Database>, secret: Uint8Array): Promise<boolean> {
  const known = await db.selectFrom('service_facts').select('value').where('name', '=', fingerprintName).executeTakeFirst();
  if (known && known.value !== fingerprintOf(secret)) {
    throw otherKey();
  }
  return known !== undefined;
}

/** Checks that an owner can be created with these values. Errors: `StartError`. */
export function checkOwner({ email, password, team }: OwnerOptions): void {
  if (email !== undefined && !isEmail(email)) {
    throw new StartError('option_invalid', `The owner's e-mail address ${email} is not one. Give it like mia@example.com.`);
  }
  const { min, max } = limits.passwordLength;
  if (password !== undefined && (password.length < min || password.length > max)) {
    throw new StartError('option_invalid', `The owner's password must have ${min} to ${max} characters.`);
  }
  if (team !== undefined && (isBlank(team) || hasBidiControl(team) || team.length > limits.nameLength)) {
    throw new StartError(
      'option_invalid',
      `The Team's name must have 1 to ${limits.nameLength} characters, and nothing that turns the direction of text.`,
    );
  }
}

function chosen(owner: OwnerOptions): { first: { email: string; password: string; team: string }; generated: string[] } {
  checkOwner(owner);
  const { email, password, team } = owner;
  return {
    first: { email: email ?? 'owner@longshore.local', password: password ?? generatePassword(), team: team ?? 'My Team' },
    generated: Object.entries({ email, password, team }).flatMap(([name, value]) => (value === undefined ? [name] : [])),
  };
}
