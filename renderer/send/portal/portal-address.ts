import { serviceAddress } from '../../session/service-address.ts';

export interface PortalAddress {
  /** Null for the agent's own service. */
  readonly service: string | null;
  readonly subdomain: string;
}

/** Parses a typed Portal: its page's address (`{service}/p/{subdomain}`), or only its name. Null for anything else. */
export function portalAddressOf(typed: string): PortalAddress | null {
  const text = typed.trim();
  if (/^[a-z0-9-]{3,53}$/.test(text)) return { service: null, subdomain: text };
  const found = /^(.+)\/p\/([a-z0-9-]{3,53})\/?(?:[?#].*)?$/i.exec(text);
  const service = found ? serviceAddress(found[1]!) : null;
  return service ? { service, subdomain: found![2]!.toLowerCase() } : null;
}

/** The address as shown and typed. */
export const portalText = ({ service, subdomain }: PortalAddress): string => (service === null ? subdomain : `${service}/p/${subdomain}`);
