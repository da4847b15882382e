import { ServiceError } from '#client/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import type { DownloadClient } from './api.ts';

/** What a link's page goes by: its address, taken apart. */
export interface LinkOfPage {
  readonly linkId: string;
  readonly secret: string;
}

/** A link that has been opened, and what is behind it. */
export interface OpenedLink {
  readonly info: LinkInfo;
  readonly records: readonly File[];
  /** Whether nothing can be had of it any more, by this visitor. */
  readonly usedUp: boolean;
  /** The read token that downloads go by. */
  token(): string;
  /** Where a file can be fetched from, for about an hour. A token that has run out is replaced by opening the link again. */
  addressOf(fileId: string): Promise<string>;
}

/** Where the token that has begun to download stands over a reload: a link with a limit counts tokens, and a reload is nobody new. */
export interface TokenKeep {
  get(linkId: string): Promise<string | null>;
  put(linkId: string, token: string): void;
}

/** Opens the link. An empty password sends none. Rejects with a `ServiceError`. */
export async function openLink(
  api: DownloadClient,
  keep: TokenKeep,
  { linkId, secret }: LinkOfPage,
  password: string,
): Promise<OpenedLink> {
  const credential = password === '' ? ({ kind: 'none' } as const) : ({ kind: 'link_password', password } as const);
  const open = () => api.call('openLink', { params: { link_id: linkId }, query: { secret }, credential });
  const info = await open();
  const kept = await keep.get(linkId);
  let token = kept ?? info.package_token;
  const records = await api.call('listFiles', {
    params: { package_id: info.package_id },
    credential: { kind: 'package', token: info.package_token },
  });

  async function addressWith(some: string, fileId: string): Promise<string> {
    const params = { package_id: info.package_id, file_id: fileId };
    const { url } = await api.call('downloadFile', { params, query: {}, credential: { kind: 'package', token: some } });
    token = some;
    keep.put(linkId, some);
    return url;
  }

  return {
    info,
    records,
    usedUp: info.used_up === true && kept === null,
    token: () => token,
    async addressOf(fileId) {
      try {
        return await addressWith(token, fileId);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.error !== 'credential_invalid') throw error;
        return addressWith((await open()).package_token, fileId);
      }
    },
  };
}

/**
 * Kept for as long as the tab is, and with what is being saved. Where the browser keeps nothing, each visit is a new one.
 * `saved` gives the token of an unfinished saving.
 */
export function browserKeep(storage: () => Storage, saved: (linkId: string) => Promise<string | null>): TokenKeep {
  const key = (linkId: string): string => `longshore-link:${linkId}`;
  return {
    async get(linkId) {
      try {
        return storage().getItem(key(linkId)) ?? (await saved(linkId));
      } catch {
        return null;
      }
    },
    put(linkId, token) {
      try {
        storage().setItem(key(linkId), token);
      } catch {
        // Then a reload counts as another visit.
      }
    },
  };
}
