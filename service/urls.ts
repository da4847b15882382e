import { percentEncode } from '#storage/percent.ts';

/** Addresses that the service hands out, as people outside reach it. */
export interface PublicUrls {
  /** Without a slash at the end. */
  readonly base: string;
  /** The page that a recipient opens: `{base}/d/{link_id}?secret={secret}` (contract/links.md §1). */
  downloadPage(linkId: string, secret: string): string;
  /** The page of a mailed invitation. The token is in the fragment, which browsers tell nobody: no log, no other site. */
  invitationPage(token: string): string;
  /** The page on which a password is chosen with a mailed token, or, without one, told to be forgotten. */
  passwordPage(token?: string): string;
  /** Where a package's zip streams from: `{base}/zips/{name}?token={token}`. */
  zip(name: string, token: string): string;
}

export function publicUrls(base: string): PublicUrls {
  const root = base.replace(/\/+$/, '');
  return {
    base: root,
    downloadPage: (linkId, secret) => `${root}/d/${encodeURIComponent(linkId)}?secret=${encodeURIComponent(secret)}`,
    invitationPage: (token) => `${root}/invitation#${token}`,
    passwordPage: (token) => `${root}/password${token === undefined ? '' : `#${token}`}`,
    zip: (name, token) => `${root}/zips/${percentEncode(name)}?token=${token}`,
  };
}
