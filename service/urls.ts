import { percentEncode } from '#protocol/storage/percent.ts';

/** The service's public URLs. */
export interface PublicUrls {
  /** Without a trailing slash. */
  readonly base: string;
  /** The page that a recipient opens: `{base}/d/{link_id}?secret={secret}` (contract/links.md §1). */
  downloadPage(linkId: string, secret: string): string;
  /** The page of a mailed invitation. The token is in the fragment, which browsers send to no server. */
  invitationPage(token: string): string;
  /** The page to choose a password with a mailed token; without a token, to request a password reset. */
  passwordPage(token?: string): string;
  /** The page to confirm an e-mail address with a mailed token. */
  emailPage(token: string): string;
  /** Where a Team's provider sends people back: `{base}/sso/callback/{team_id}`, one for each Team. */
  ssoCallback(teamId: string): string;
  /** The upload page of a Portal: `{base}/p/{subdomain}`. */
  portalPage(subdomain: string): string;
  /** An uploaded image: `{base}/images/{id}` (contract/images.md §3). */
  image(id: string): string;
  /** The operators' page of the console. */
  operatorPage(): string;
  /** A Team's packages in the console. */
  consolePackages(teamId: string): string;
  /** A package in the console. */
  consolePackage(teamId: string, packageId: string): string;
  /** Turns the notices of a package off, for whom the message went to: what mail programs call. */
  unsubscribe(messageId: string, token: string): string;
  /** The page on which a person does the same. What was mailed is in the fragment. */
  unsubscribePage(messageId: string, token: string): string;
  /** The URL of a package's zip: `{base}/zips/{name}?token={token}`. */
  zip(name: string, token: string): string;
}

export function publicUrls(base: string): PublicUrls {
  const root = base.replace(/\/+$/, '');
  return {
    base: root,
    downloadPage: (linkId, secret) => `${root}/d/${encodeURIComponent(linkId)}?secret=${encodeURIComponent(secret)}`,
    invitationPage: (token) => `${root}/invitation#${token}`,
    passwordPage: (token) => `${root}/password${token === undefined ? '' : `#${token}`}`,
    emailPage: (token) => `${root}/email#${token}`,
    ssoCallback: (teamId) => `${root}/sso/callback/${teamId}`,
    portalPage: (subdomain) => `${root}/p/${subdomain}`,
    image: (id) => `${root}/images/${id}`,
    operatorPage: () => `${root}/operator`,
    consolePackages: (teamId) => `${root}/t/${teamId}/packages`,
    consolePackage: (teamId, packageId) => `${root}/t/${teamId}/packages/${packageId}`,
    unsubscribe: (messageId, token) => `${root}/v1/notices/${messageId}/stop?token=${token}`,
    unsubscribePage: (messageId, token) => `${root}/unsubscribe#${messageId}.${token}`,
    zip: (name, token) => `${root}/zips/${percentEncode(name)}?token=${token}`,
  };
}
