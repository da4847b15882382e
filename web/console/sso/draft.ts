import type { SetSso, SsoConnection, SsoGroupRole, SsoRole } from '#protocol/hosted/sso.ts';

/** The settings as they are typed. */
export interface Draft {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: as it is. */
  readonly clientSecret: string;
  readonly scopes: string;
  readonly groupClaim: string;
  readonly groups: readonly SsoGroupRole[];
  readonly defaultRole: SsoRole | 'none';
  readonly enabled: boolean;
  readonly ssoOnly: boolean;
}

export interface PartProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  /** What is wrong with a field, by its name on the wire. */
  readonly errorOf: (field: string) => string | null;
}

export const draftOf = (connection: SsoConnection | undefined): Draft => ({
  issuer: connection?.issuer ?? '',
  clientId: connection?.client_id ?? '',
  clientSecret: '',
  scopes: (connection?.scopes ?? ['openid', 'email', 'profile']).join(' '),
  groupClaim: connection?.group_claim ?? 'groups',
  groups: connection?.group_roles ?? [],
  defaultRole: connection?.default_role ?? 'member',
  enabled: connection?.enabled ?? false,
  ssoOnly: connection?.sso_only ?? false,
});

export const bodyOf = (draft: Draft): SetSso => ({
  issuer: draft.issuer.trim(),
  client_id: draft.clientId.trim(),
  ...(draft.clientSecret !== '' && { client_secret: draft.clientSecret }),
  scopes: draft.scopes.split(/\s+/).filter((scope) => scope !== ''),
  group_claim: draft.groupClaim.trim(),
  group_roles: draft.groups.map(({ group, role }) => ({ group: group.trim(), role })).filter(({ group }) => group !== ''),
  default_role: draft.defaultRole,
  enabled: draft.enabled,
  sso_only: draft.enabled && draft.ssoOnly,
});

/** What of the draft is not as it was read. */
export function editsOf(draft: Draft, connection: SsoConnection | undefined): Partial<Draft> {
  const before: Readonly<Record<string, unknown>> = { ...draftOf(connection) };
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
}

/** Whether what counts for a sign-in is other than what was saved. */
export const isChanged = (draft: Draft, connection: SsoConnection | undefined): boolean =>
  JSON.stringify(bodyOf(draft)) !== JSON.stringify(bodyOf(draftOf(connection)));
