import { ServiceError } from '#client/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import type { CreateZip } from '#protocol/hosted/zips.ts';
import type { DownloadClient } from './api.ts';

/** The page's address, parsed. */
export interface LinkOfPage {
  readonly linkId: string;
  readonly secret: string;
}

/** An opened link and its package. */
export interface OpenedLink {
  readonly info: LinkInfo;
  readonly records: readonly File[];
  /** Whether this visitor cannot download anything more with this link. */
  readonly usedUp: boolean;
  /** The current read token for downloads. */
  token(): string;
  /** A file's download address, valid for about an hour. An expired token is replaced by opening the link again. */
  addressOf(fileId: string): Promise<string>;
  /** The same for a zip of a choice. */
  zipAddress(choice: CreateZip): Promise<string>;
}

/**
 * Keeps the token of a started download across reloads: a limited link counts tokens, and a reload is not a new
 * visitor.
 */
export interface TokenKeep {
  get(linkId: string): Promise<string | null>;
  put(linkId: string, token: string): void;
  /** That this browser's person gave the code which the link asks for; null for none. It holds for some hours. */
  proof(linkId: string): string | null;
  putProof(linkId: string, proof: string): void;
}

/** What a link asks for; empty for what was not given. */
export interface Answers {
  readonly password: string;
  /** Mailed to the link's recipient. */
  readonly code: string;
}

/** Opens the link. What is empty is not sent. Rejects with a `ServiceError`. */
export async function openLink(
  api: DownloadClient,
  keep: TokenKeep,
  { linkId, secret }: LinkOfPage,
  { password, code }: Answers,
): Promise<OpenedLink> {
  const open = async (given: string | null) => {
    const credential = { kind: 'link', password, code: given ?? undefined } as const;
    const opened = await api.call('openLink', { params: { link_id: linkId }, query: { secret }, credential });
    // A code is good once; its proof opens the link again.
    if (opened.proof !== undefined) keep.putProof(linkId, opened.proof);
    return opened;
  };
  const info = await open(code || keep.proof(linkId));
  const stored = await keep.get(linkId);
  let token = stored ?? info.package_token;
  const records = await api.call('listFiles', {
    params: { package_id: info.package_id },
    credential: { kind: 'package', token: info.package_token },
  });

  type Credential = { readonly kind: 'package'; readonly token: string };
  async function address(ask: (credential: Credential) => Promise<{ readonly url: string }>): Promise<string> {
    const askWith = async (some: string): Promise<string> => {
      const { url } = await ask({ kind: 'package', token: some });
      token = some;
      keep.put(linkId, some);
      return url;
    };
    try {
      return await askWith(token);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'credential_invalid') throw error;
      return askWith((await open(keep.proof(linkId) ?? info.proof ?? null)).package_token);
    }
  }

  return {
    info,
    records,
    usedUp: info.used_up === true && stored === null,
    token: () => token,
    addressOf(fileId) {
      const params = { package_id: info.package_id, file_id: fileId };
      return address((credential) => api.call('downloadFile', { params, query: {}, credential }));
    },
    zipAddress(choice) {
      const params = { package_id: info.package_id };
      return address((credential) => api.call('createZip', { params, body: choice, credential }));
    },
  };
}

/**
 * Keeps the token in the tab's session storage, and uses the token of an unfinished save (`saved`). Without storage
 * each visit counts as a new one. Proofs lie in the `lasting` one, so that another tab asks for no code either.
 */
export function browserKeep(storage: () => Storage, lasting: () => Storage, saved: (linkId: string) => Promise<string | null>): TokenKeep {
  const key = (linkId: string): string => `longshore-link:${linkId}`;
  const proofKey = (linkId: string): string => `longshore-proof:${linkId}`;
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
        // Not saved: a reload counts as another visit.
      }
    },
    proof(linkId) {
      try {
        return lasting().getItem(proofKey(linkId));
      } catch {
        return null;
      }
    },
    putProof(linkId, proof) {
      try {
        lasting().setItem(proofKey(linkId), proof);
      } catch {
        // Not saved: a reload asks for another code.
      }
    },
  };
}
