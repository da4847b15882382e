import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import {
  BuildingIcon,
  FilterIcon,
  HomeIcon,
  KeyIcon,
  LogIcon,
  MembersIcon,
  PackageIcon,
  PlugIcon,
  PortalIcon,
  SendIcon,
  ServerIcon,
  TagIcon,
  TeamspaceIcon,
} from '#ui/icons.tsx';
import type { en } from '../../messages/en/console/shell.ts';
import { matchPath } from './address.ts';
import type { ViewProps } from './view-props.ts';

interface ViewModule {
  readonly default: ComponentType<ViewProps>;
}

/** A place of the console. Its code is loaded at the first visit. */
export interface View {
  /** Its address. `/t/{team_id}/…` is about a Team, every other one about the person or the service. */
  readonly path: string;
  /** What the member's role must allow (docs/contract/conventions.md §10), or `operate`, for operators of the service; null: everybody may. */
  readonly permission: string | null;
  /** Its entry in the navigation; null if another view leads to it. */
  readonly entry: { readonly label: keyof (typeof en)['nav']; readonly Icon: ComponentType } | null;
  readonly load: () => Promise<ViewModule>;
  readonly Component: LazyExoticComponent<ComponentType<ViewProps>>;
}

const view = (path: string, permission: string | null, entry: View['entry'], load: View['load']): View => ({
  path,
  permission,
  entry,
  load,
  Component: lazy(load),
});

/** Every view, in the order of the navigation. */
export const views: readonly View[] = [
  view('/t/{team_id}', 'packages.read', { label: 'home', Icon: HomeIcon }, () => import('../home/home.tsx')),
  view('/t/{team_id}/send', 'packages.create', { label: 'send', Icon: SendIcon }, () => import('../send/send.tsx')),
  view('/t/{team_id}/packages', 'packages.read', { label: 'packages', Icon: PackageIcon }, () => import('../packages/packages.tsx')),
  view('/t/{team_id}/packages/{package_id}', 'packages.read', null, () => import('../package/package.tsx')),
  view('/t/{team_id}/portals', 'integrations.manage', { label: 'portals', Icon: PortalIcon }, () => import('../portals/portals.tsx')),
  view('/t/{team_id}/portals/{portal_id}', 'integrations.manage', null, () => import('../portals/editor/portal-editor.tsx')),
  view('/t/{team_id}/members', 'members.read', { label: 'members', Icon: MembersIcon }, () => import('../members/members.tsx')),
  view(
    '/t/{team_id}/teamspaces',
    'teamspaces.read',
    { label: 'teamspaces', Icon: TeamspaceIcon },
    () => import('../teamspaces/teamspaces.tsx'),
  ),
  view('/t/{team_id}/teamspaces/{space_id}', 'teamspaces.read', null, () => import('../teamspaces/teamspace.tsx')),
  view('/t/{team_id}/tags', 'packages.read', { label: 'tags', Icon: TagIcon }, () => import('../tags/tags.tsx')),
  view('/t/{team_id}/filters', 'integrations.manage', { label: 'filters', Icon: FilterIcon }, () => import('../filters/filters.tsx')),
  view('/t/{team_id}/api-keys', 'api_keys.manage_own', { label: 'apiKeys', Icon: KeyIcon }, () => import('../api-keys/api-keys.tsx')),
  view(
    '/t/{team_id}/integrations',
    'integrations.manage',
    { label: 'integrations', Icon: PlugIcon },
    () => import('../integrations/integrations.tsx'),
  ),
  view('/t/{team_id}/integrations/setup/{provider}', 'integrations.manage', null, () => import('../setup/setup.tsx')),
  view(
    '/t/{team_id}/integrations/connections/{connection_id}',
    'integrations.manage',
    null,
    () => import('../integrations/connection.tsx'),
  ),
  view('/t/{team_id}/integrations/webhooks/{webhook_id}', 'integrations.manage', null, () => import('../integrations/webhook.tsx')),
  view('/profile', null, null, () => import('../profile/profile.tsx')),
  view('/profile/security', null, null, () => import('../security/security.tsx')),
  view('/t/{team_id}/team', 'team.manage', { label: 'team', Icon: BuildingIcon }, () => import('../team/team.tsx')),
  view('/t/{team_id}/sso', 'sso.manage', null, () => import('../sso/sso.tsx')),
  view('/t/{team_id}/usage', 'team.manage', null, () => import('../usage/usage.tsx')),
  view('/t/{team_id}/audit-log', 'audit.read', { label: 'auditLog', Icon: LogIcon }, () => import('../audit-log/audit-log.tsx')),
  view('/operator', 'operate', { label: 'operator', Icon: ServerIcon }, () => import('../operator/operator.tsx')),
  view('/operator/{part}', 'operate', null, () => import('../operator/operator.tsx')),
];

/** The view at a path, with the values in it. */
export function viewAt(path: string): { readonly view: View; readonly params: Readonly<Record<string, string>> } | null {
  for (const one of views) {
    const params = matchPath(one.path, path);
    if (params) return { view: one, params };
  }
  return null;
}

/** Begins to load the code of the view at a path, while it is not known yet who is signed in. */
export function preloadView(path: string): void {
  void viewAt(path)
    ?.view.load()
    .catch(() => undefined);
}

/** The address of a view for a Team. */
export const hrefOf = ({ path }: View, teamId: string): string => path.replace('{team_id}', encodeURIComponent(teamId));

/** The views of the navigation that somebody may see. */
export const entriesFor = (permissions: readonly string[]): readonly View[] =>
  views.filter((one) => one.entry !== null && (one.permission === null || permissions.includes(one.permission)));
