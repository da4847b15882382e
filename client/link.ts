import { ApiError } from '#protocol/errors/api-error.ts';

export interface DownloadLink {
  /** The service's address without a slash at the end: everything before `/d/`. */
  readonly baseUrl: string;
  readonly linkId: string;
  readonly secret: string;
}

const longest = 4_096;

/**
 * Parses a download link `{base}/d/{link_id}?secret={secret}` (contract/links.md §1). The base may have a path of its
 * own. Any other text throws `link_malformed`, whose message says what is missing and never contains the secret.
 */
export function parseDownloadLink(text: string): DownloadLink {
  const trimmed = text.trim();
  if (trimmed.length === 0) throw malformed('it is empty. Paste the whole link.');
  if (trimmed.length > longest) throw malformed(`it is longer than ${longest} characters.`);
  const url = URL.parse(trimmed);
  if (!url) throw malformed('it is not a web address. It begins with https:// or http://.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw malformed(`${url.protocol} is not supported. It begins with https://.`);
  if (url.username || url.password) throw malformed('it has a user name or a password in it. Paste it as the sender gave it.');
  const found = /^(.*)\/d\/([^/]+)\/?$/.exec(url.pathname);
  if (!found) throw malformed('its path does not end in /d/ and an id. Paste the whole link.');
  const secret = url.searchParams.get('secret');
  if (!secret) throw malformed('its end, ?secret=…, is missing. Paste the whole link.');
  return { baseUrl: url.origin + found[1], linkId: decoded(found[2]!), secret };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw malformed('its id is garbled. Paste it as the sender gave it.', cause);
  }
}

function malformed(detail: string, cause?: unknown): ApiError {
  return new ApiError('link_malformed', { detail }, cause === undefined ? undefined : { cause });
}
