import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import type { NoticeKind } from '#protocol/notices.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { dayOf } from '../send/draft.ts';

const calls = defineCalls({
  setPackageExpiry: { method: 'PUT', path: '/v1/packages/{package_id}/expiry', reply: { status: 200 } },
  updatePackage: { method: 'PUT', path: '/v1/packages/{package_id}', reply: { status: 200 } },
  archivePackage: { method: 'PUT', path: '/v1/packages/{package_id}/archive', reply: { status: 204 } },
  unarchivePackage: { method: 'PUT', path: '/v1/packages/{package_id}/unarchive', reply: { status: 204 } },
  holdPackage: { method: 'PUT', path: '/v1/teams/{team_id}/packages/{package_id}/hold', reply: { status: 204 } },
  liftPackageHold: { method: 'DELETE', path: '/v1/teams/{team_id}/packages/{package_id}/hold', reply: { status: 204 } },
  deletePackage: { method: 'DELETE', path: '/v1/packages/{package_id}', reply: { status: 204 } },
});

/** The token of a record, which its list was given for whoever is signed in. */
export const tokenOf = ({ access_token }: Pick<Package, 'access_token'>) => ({ kind: 'package', token: access_token }) as const;

/** The end of a chosen day, where the person is, as the service takes it. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

/** The day that a package expires on, where the person is; empty if it does not. */
export const expiryDay = ({ expiry, unlimited_storage: never }: Pick<Package, 'expiry' | 'unlimited_storage'>): string =>
  never || expiry === unsetDateTime ? '' : dayOf(new Date(expiry));

/** What can be done to a package, by its record. */
export function usePackageActions() {
  const api = useApi(calls);
  const cache = useQueryClient();
  const team = useTeam();
  return useMemo(() => {
    const of = (one: Package) => ({ params: { package_id: one.id }, credential: tokenOf(one) });
    return {
      /** `day`: `2026-12-24`, or empty for never. */
      extend: (one: Package, day: string) =>
        api.call('setPackageExpiry', {
          ...of(one),
          body: day === '' ? { unlimited_storage: true } : { expiry: endOfDay(day), unlimited_storage: false },
        }),
      rename: (one: Package, name: string) => api.call('updatePackage', { ...of(one), body: { name } }),
      tag: (one: Package, tagId: string) => api.call('updatePackage', { ...of(one), body: { name: one.name, tag: { id: tagId } } }),
      notify: (one: Package, notify: NoticeKind[]) => api.call('updatePackage', { ...of(one), body: { name: one.name, notify } }),
      archive: (one: Package) => api.call('archivePackage', of(one)),
      unarchive: (one: Package) => api.call('unarchivePackage', of(one)),
      hold: (one: Package, reason: string) =>
        api.call('holdPackage', { params: { team_id: team.id, package_id: one.id }, body: { reason } }),
      lift: (one: Package) => api.call('liftPackageHold', { params: { team_id: team.id, package_id: one.id } }),
      remove: (one: Package) => api.call('deletePackage', of(one)),
      /** Has every view of the Team ask anew. */
      changed: () => cache.invalidateQueries({ queryKey: ['team', team.id] }),
    };
  }, [api, cache, team.id]);
}
