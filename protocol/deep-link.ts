import { limits } from './limits.ts';

/**
 * `longshore://` addresses: with them a web page sends a request to the agent on the same machine. Any page and any
 * program can create one, so it is never executed directly: it is parsed here, shown to the user, and executed only
 * after the user confirms.
 */

export const deepLinkScheme = 'longshore';

/** The request in an address. Its texts are untrusted input: display them, but never rely on them. */
export type DeepLink =
  | {
      readonly kind: 'portal_upload';
      /** The service's address, without a slash at the end. */
      readonly service: string;
      /** The Portal's subdomain. */
      readonly portal: string;
      readonly name: string;
      readonly sender: string;
      readonly description: string;
    }
  | {
      readonly kind: 'download';
      /** The whole download link, with its secret. */
      readonly url: string;
      readonly service: string;
    }
  | {
      /** A transfer that a browser has begun: contract/handovers.md §4. */
      readonly kind: 'continue';
      readonly service: string;
      /** Good for one exchange within 10 minutes. Never displayed. */
      readonly code: string;
    };

/** Why an address is rejected. `name` of the last three: the field with the problem. */
export type DeepLinkFault =
  | { readonly fault: 'too_long' | 'not_an_address' | 'unknown_request' }
  | { readonly fault: 'unknown_field' | 'missing_field' | 'bad_field'; readonly name: string };

type ParsedDeepLink = { readonly link: DeepLink } | DeepLinkFault;

/** Longest accepted address, in characters. A download link in it may have 4,096 characters of its own, escaped. */
export const deepLinkLength = 16_384;
const linkLength = 4_096;
const serviceLength = 2_048;

/**
 * Control characters and those that change the direction of text: nobody types them, and they can falsify what is
 * displayed.
 */
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
const unprintableButLines = /[^\P{Cc}\n\r\t]|\p{Bidi_Control}/u;

/**
 * Parses an address: `longshore://portal-upload?service=…&portal=…&name=…&sender=…&description=…`,
 * `longshore://download?url=…` or `longshore://continue?service=…&code=…`. Strict: only known requests with known fields, each once and within its length;
 * services by https, or by http on this machine only. Makes no requests and changes nothing.
 */
export function parseDeepLink(text: string): ParsedDeepLink {
  if (text.length > deepLinkLength) return { fault: 'too_long' };
  const url = URL.parse(text);
  if (url?.protocol !== `${deepLinkScheme}:` || url.username || url.password || url.port || url.hash) return { fault: 'not_an_address' };
  // Windows adds a slash after the host.
  if (url.pathname !== '' && url.pathname !== '/') return { fault: 'not_an_address' };
  switch (url.host) {
    case 'portal-upload':
      return portalUpload(url.searchParams);
    case 'download':
      return download(url.searchParams);
    case 'continue':
      return handover(url.searchParams);
    default:
      return { fault: 'unknown_request' };
  }
}

function portalUpload(query: URLSearchParams): ParsedDeepLink {
  const fields = readFields(query, {
    service: { needed: true, check: (value) => serviceAddress(value) !== null },
    portal: { needed: true, check: (value) => /^[a-z0-9-]{3,53}$/.test(value) },
    name: { check: (value) => value.length <= limits.nameLength && !unprintable.test(value) },
    // The user may not have typed the complete address yet, so it is not validated.
    sender: { check: (value) => value.length <= limits.emailLength && !unprintable.test(value) },
    description: { check: (value) => value.length <= limits.textLength && !unprintableButLines.test(value) },
  });
  if ('fault' in fields) return fields;
  const { service, portal, name, sender, description } = fields.values;
  return { link: { kind: 'portal_upload', service: serviceAddress(service)!, portal, name, sender, description } };
}

function download(query: URLSearchParams): ParsedDeepLink {
  const fields = readFields(query, { url: { needed: true, check: (value) => serviceOfLink(value) !== null } });
  if ('fault' in fields) return fields;
  const { url } = fields.values;
  return { link: { kind: 'download', url, service: serviceOfLink(url)! } };
}

function handover(query: URLSearchParams): ParsedDeepLink {
  const fields = readFields(query, {
    service: { needed: true, check: (value) => serviceAddress(value) !== null },
    code: { needed: true, check: (value) => /^[A-Za-z0-9_-]{20,128}$/.test(value) },
  });
  if ('fault' in fields) return fields;
  return { link: { kind: 'continue', service: serviceAddress(fields.values.service)!, code: fields.values.code } };
}

/** The address that hands a transfer over. */
export function handoverAddress(service: string, code: string): string {
  return `${deepLinkScheme}://continue?${new URLSearchParams({ service, code })}`;
}

interface Field {
  readonly needed?: boolean;
  readonly check: (value: string) => boolean;
}

function readFields<Name extends string>(
  query: URLSearchParams,
  fields: Readonly<Record<Name, Field>>,
): { readonly values: Readonly<Record<Name, string>> } | DeepLinkFault {
  for (const name of query.keys()) {
    // The name is untrusted input: only a short part of it is passed on.
    if (!Object.hasOwn(fields, name)) return { fault: 'unknown_field', name: name.replaceAll(/[^\w-]/g, '').slice(0, 40) };
    if (query.getAll(name).length > 1) return { fault: 'bad_field', name };
  }
  const values = {} as Record<Name, string>;
  for (const name of Object.keys(fields) as Name[]) {
    const value = query.get(name) ?? '';
    if (value === '' && fields[name].needed) return { fault: 'missing_field', name };
    if (value !== '' && !fields[name].check(value)) return { fault: 'bad_field', name };
    values[name] = value;
  }
  return { values };
}

/** A service's address without a slash at the end, or null if it is invalid or not permitted. */
function serviceAddress(text: string): string | null {
  if (text.length > serviceLength || unprintable.test(text)) return null;
  const url = secureAddress(text);
  if (!url || url.search || url.hash) return null;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The service of a download link `{service}/d/{id}?secret=…`, or null for any other text. */
function serviceOfLink(text: string): string | null {
  if (text.length > linkLength || unprintable.test(text)) return null;
  const url = secureAddress(text);
  const found = url && /^(.*)\/d\/[^/]+\/?$/.exec(url.pathname);
  if (!found || !url.searchParams.get('secret')) return null;
  return url.origin + found[1]!.replace(/\/+$/, '');
}

/** https, or http on this machine only. A user name is rejected, since it can make an address look like another host. */
function secureAddress(text: string): URL | null {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return null;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && isLoopback(url.hostname) ? url : null;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The route in the agent's page that shows a request and asks the user to confirm it. */
export function openPlace(address: string): string {
  return `#/open?address=${encodeURIComponent(address)}`;
}
