import type { Role } from '#protocol/roles.ts';
import { newId } from '#service/ids.ts';
import { lightHash } from '#test/support/light-hash.ts';
import type { TestService } from '#test/support/service.ts';

export interface TestPerson {
  readonly userId: string;
  readonly email: string;
  /** A user token, as sign-in gives it. */
  readonly token: string;
}

/** One for all. */
const hashOfAnUnknown = lightHash(newId());

/** Adds somebody with a role to a Team (the service's first one unless another is named), whose password nobody knows, with a user token. */
export async function addPerson({ service, teamId }: TestService, role: Role, team = teamId): Promise<TestPerson> {
  const { db, tokens, now } = service.services;
  const userId = newId();
  const email = `${role}-${userId}@example.com`;
  const times = { created_at: now(), updated_at: now() };
  await db
    .insertInto('users')
    .values({ id: userId, email, name: role, password_hash: await hashOfAnUnknown, primary_team_id: team, ...times })
    .execute();
  await db.insertInto('memberships').values({ id: newId(), team_id: team, user_id: userId, role, created_at: now() }).execute();
  return { userId, email, token: await tokens.sign('user', { userId, version: 1 }) };
}

/** Adds a Team without members. */
export async function addTeam({ service }: TestService, name: string): Promise<string> {
  const { db, now } = service.services;
  const id = newId();
  await db
    .insertInto('teams')
    .values({ id, name, subdomain: `t-${id}`, created_at: now(), updated_at: now() })
    .execute();
  return id;
}
