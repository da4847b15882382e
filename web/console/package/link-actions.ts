import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { tokenOf } from '../packages/actions.ts';

const calls = defineCalls({
  createLink: { method: 'POST', path: '/v1/packages/{package_id}/links', reply: { status: 201 } },
  deleteLink: { method: 'DELETE', path: '/v1/packages/{package_id}/links/{link_id}', reply: { status: 204 } },
  mailLink: { method: 'POST', path: '/v1/packages/{package_id}/links/{link_id}/mail', reply: { status: 202 } },
});

export interface NewLink {
  /** Empty for nobody in particular. */
  readonly email: string;
  readonly password?: string;
  readonly access_limit?: number;
  readonly expiry?: string;
  readonly verify_recipient?: boolean;
}

/** What can be done with the links of a package. */
export function useLinkActions(one: Package) {
  const api = useApi(calls);
  const cache = useQueryClient();
  const team = useTeam();
  return useMemo(() => {
    const credential = tokenOf(one);
    const changed = () => cache.invalidateQueries({ queryKey: ['team', team.id, 'package', one.id] });
    const mail = (link: Pick<Link, 'id'>) => api.call('mailLink', { params: { package_id: one.id, link_id: link.id }, credential });
    return {
      async mail(link: Pick<Link, 'id'>): Promise<void> {
        await mail(link);
        await changed();
      },
      async add({ email, ...more }: NewLink, alsoMail: boolean): Promise<void> {
        const link = await api.call('createLink', {
          params: { package_id: one.id },
          credential,
          body: { ...(email === '' ? {} : { email }), ...more },
        });
        if (alsoMail && email !== '') await mail(link);
        await changed();
      },
      /** A link for somebody who is here: nothing is mailed, and nothing is asked or counted but what the Team demands. */
      async addFor(email: string, more: Pick<NewLink, 'password' | 'verify_recipient'>): Promise<Link> {
        const body = { email, access_limit: 0, ...more };
        const link = await api.call('createLink', { params: { package_id: one.id }, credential, body });
        await changed();
        return link;
      },
      async end(link: Link): Promise<void> {
        await api.call('deleteLink', { params: { package_id: one.id, link_id: link.id }, credential });
        await changed();
      },
    };
  }, [api, cache, team.id, one]);
}
