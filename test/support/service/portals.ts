import type { Form, FormField, FormResponse } from '#protocol/hosted/forms.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { CreatePortal, Portal } from '#protocol/hosted/portals.ts';
import { newId } from '#service/ids.ts';
import { type Sender, senderOf } from '#test/support/service/sender.ts';
import type { TestAnswer, TestService } from '#test/support/service/start-service.ts';

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

/** Asks to make a package through a Portal, whatever the answer. */
export function askPortalPackage<T = Package>(
  t: TestService,
  portalId: string,
  fields: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer<T>> {
  const body = { name: 'Day 12', description: 'A and B camera', sender: 'mia@example.com', ...fields };
  return t.call<T>('POST', `/v1/portals/${portalId}/packages`, { headers, body });
}

/** Makes a package through a Portal without an access code, and gives its sender, who has a write token. */
export async function portalSender(t: TestService, portalId: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Sender> {
  const made = await askPortalPackage(t, portalId, fields);
  if (made.status !== 201) throw new Error(`no package: ${made.status} ${JSON.stringify(made.body)}`);
  return senderOf(t, made.body, { 'x-package-token': made.body.access_token });
}

/** Asks to make a form of a Portal, whatever the answer. */
export function askForm<T = Form>(
  t: TestService,
  portalId: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<TestAnswer<T>> {
  return t.call<T>('POST', `/v1/portals/${portalId}/form`, {
    headers: { 'x-api-key': t.apiKey },
    body: { name: 'Camera report', delivery_formats: ['json'], ...fields },
  });
}

/** A field of a form that is fine. */
export const formField = (name: string, fields: Partial<FormField> = {}): FormField => ({
  name,
  label: name,
  type: 'short_text',
  visibility: 'optional',
  position: 0,
  ...fields,
});

/** Asks to answer a Portal's form as a sender without an account, whatever the answer. */
export function askResponse<T = FormResponse>(
  t: TestService,
  portalId: string,
  answers: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = { 'x-access-code': 'any' },
): Promise<TestAnswer<T>> {
  return t.call<T>('POST', `/v1/portals/${portalId}/form/responses`, { headers, body: answers });
}
