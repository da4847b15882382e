import { useMemo } from 'react';
import type { HostedClient } from '#client/calls.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { endOfDay, tokenOf } from '../packages/actions.ts';
import { addressesIn } from '../ui/addresses.ts';
import { type Draft, nameOf } from './draft.ts';

const calls = defineCalls({
  createTeamPackage: { method: 'POST', path: '/v1/teams/{team_id}/packages', reply: { status: 201 } },
  setPackageExpiry: { method: 'PUT', path: '/v1/packages/{package_id}/expiry', reply: { status: 200 } },
  createLink: { method: 'POST', path: '/v1/packages/{package_id}/links', reply: { status: 201 } },
  deletePackage: { method: 'DELETE', path: '/v1/packages/{package_id}', reply: { status: 204 } },
});

type Api = HostedClient<keyof typeof calls>;

/**
 * Makes the package that a draft describes, with its link where there is to be one. `key`: called again with the same one,
 * it makes no second package. What was made of it is deleted again where a later step is refused.
 */
async function createPackage(api: Api, teamId: string, draft: Draft, proposed: string, key: string): Promise<Package> {
  const { password, limit, verify, space, tag, day } = draft;
  const made = await api.call('createTeamPackage', {
    params: { team_id: teamId },
    body: {
      name: nameOf(draft, proposed),
      description: draft.message.trim(),
      recipients: draft.way === 'mail' ? [...addressesIn(draft.recipients).good] : [],
      ...(password === '' ? {} : { password }),
      ...(limit === '' ? {} : { access_limit: Number(limit) }),
      ...(verify === null || draft.way === 'link' ? {} : { verify_recipient: verify }),
      ...(space === '' ? {} : { teamspace: { id: space } }),
      ...(tag === '' ? {} : { tag: { id: tag } }),
    },
    idempotencyKey: `package-${key}`,
  });
  const of = { params: { package_id: made.id }, credential: tokenOf(made) };
  try {
    if (day !== '') await api.call('setPackageExpiry', { ...of, body: { expiry: endOfDay(day), unlimited_storage: false } });
    // With the package's password and limit. It works once the package is finalized.
    if (draft.way === 'link') await api.call('createLink', { ...of, body: {}, idempotencyKey: `link-${key}` });
  } catch (error) {
    await api.call('deletePackage', of).catch(() => undefined);
    throw error;
  }
  return made;
}

/** Creates packages of the Team that the view is about. */
export function useCreatePackage(): (draft: Draft, proposed: string, key: string) => Promise<Package> {
  const api = useApi(calls);
  const { id } = useTeam();
  return useMemo(() => (draft, proposed, key) => createPackage(api, id, draft, proposed, key), [api, id]);
}
