import { isIP } from 'node:net';

/**
 * Who may call the agent (contract/agent.md §1.1). Any web page can make a browser send requests to
 * this machine, so each request must name the agent by a host that no foreign page can take over
 * (DNS rebinding), and a page's request must come from the agent's own pages.
 */

export interface CallerPolicy {
  /** Listens on loopback only. */
  readonly loopback: boolean;
  /** Lower-case host names without port that are accepted besides loopback. */
  readonly hosts: readonly string[];
}

type CallerVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly error: 'unknown_host'; readonly details: { readonly host: string } }
  | { readonly allowed: false; readonly error: 'foreign_origin'; readonly details: { readonly origin: string } };

/**
 * The parts of a request that decide. `secFetchSite` is what the browser reports about the page that sent the request.
 */
interface CallerHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite?: string | undefined;
  readonly secFetchMode?: string | undefined;
  /** What the answer is used for: `document`, `iframe`, `image` … */
  readonly secFetchDest?: string | undefined;
  /** Whether the request is for the API, not for a page. */
  readonly api?: boolean;
}

/** Headers appear in an answer and in a log, so they are cut short. */
const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

const hostPattern = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]{0,253})?))(?::(\d{1,5}))?$/;

/** The host of a `Host` header: lower-case, without port and brackets; `null` where it is not a valid host. */
export function hostName(header: string): string | null {
  const match = hostPattern.exec(header.toLowerCase());
  if (!match) return null;
  const [, ipv6, name, port] = match;
  if (port !== undefined && Number(port) > 65_535) return null;
  if (ipv6 !== undefined) return isIP(ipv6) === 6 ? ipv6 : null;
  return name ?? null;
}

/** An address or name that always means this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  if (isIP(host) === 4) return host.startsWith('127.');
  // The URL parser normalizes every spelling of ::1 and of an IPv4-mapped loopback address.
  if (isIP(host) === 6) {
    const canonical = new URL(`http://[${host}]`).hostname;
    return canonical === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:/.test(canonical);
  }
  return false;
}

/**
 * Judges one request. Beyond loopback an IP address is accepted as a host too: a page cannot turn its own name into an
 * address, and such an agent requires a token anyway.
 */
export function judgeCaller(headers: CallerHeaders, policy: CallerPolicy): CallerVerdict {
  const header = headers.host ?? '';
  const host = hostName(header);
  const known = host !== null && (isLoopback(host) || policy.hosts.includes(host) || (!policy.loopback && isIP(host) !== 0));
  if (!known) return { allowed: false, error: 'unknown_host', details: { host: shown(header) || '(none)' } };

  const { origin } = headers;
  if (origin !== undefined && origin.toLowerCase() !== `http://${header.toLowerCase()}`) {
    return { allowed: false, error: 'foreign_origin', details: { origin: shown(origin) || '(none)' } };
  }
  // A foreign page may link to our pages. It may not load resources from here, frame a page, or call the API.
  const { secFetchSite, secFetchMode, secFetchDest = 'document', api = false } = headers;
  const led = secFetchMode === 'navigate' && secFetchDest === 'document' && !api;
  if ((secFetchSite === 'cross-site' || secFetchSite === 'same-site') && !led) {
    return { allowed: false, error: 'foreign_origin', details: { origin: 'another site' } };
  }
  return { allowed: true };
}
