import type { CreatePortal, Portal } from '#protocol/hosted/portals.ts';
import { newId } from '#service/ids.ts';
import type { TestAnswer, TestService } from '#test/support/service.ts';

/** A subdomain that no other Portal has. */
export const freeSubdomain = (): string => `p-${newId()}`;

/** Asks to make a Portal of the test service's Team, whatever the answer. */
export function askPortal<T = Portal>(t: TestService, fields: Readonly<Record<string, unknown>> = {}): Promise<TestAnswer<T>> {
  return t.call<T>('POST', `/v1/teams/${t.teamId}/portals`, {
    headers: { 'x-api-key': t.apiKey },
    body: { name: 'Northlight dailies', subdomain: freeSubdomain(), ...fields },
  });
}

/** Makes a Portal that takes uploads, unless `fields` say otherwise. */
export async function newPortal(t: TestService, fields: Partial<CreatePortal> = {}): Promise<Portal> {
  const made = await askPortal(t, { active: true, ...fields });
  if (made.status !== 201) throw new Error(`no Portal: ${made.status} ${JSON.stringify(made.body)}`);
  return made.body;
}
