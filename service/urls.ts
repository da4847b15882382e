import { percentEncode } from '#storage/percent.ts';

/** Addresses that the service hands out, as people outside reach it. */
export interface PublicUrls {
  /** Without a slash at the end. */
  readonly base: string;
  /** The page that a recipient opens: `{base}/d/{link_id}?secret={secret}` (interface §4.3). */
  downloadPage(linkId: string, secret: string): string;
  /** Where a package's zip streams from: `{base}/zips/{name}?token={token}`. */
  zip(name: string, token: string): string;
}

export function publicUrls(base: string): PublicUrls {
  const root = base.replace(/\/+$/, '');
  return {
    base: root,
    downloadPage: (linkId, secret) => `${root}/d/${encodeURIComponent(linkId)}?secret=${encodeURIComponent(secret)}`,
    zip: (name, token) => `${root}/zips/${percentEncode(name)}?token=${token}`,
  };
}
