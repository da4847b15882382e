/** The length of an address that every system can pass to another program. */
const longest = 2_000;

export interface HandOverFacts {
  readonly baseUrl: string;
  readonly subdomain: string;
  readonly name: string;
  readonly description: string;
  readonly sender: string;
}

/**
 * The address that hands the package to the agent: the service, the Portal and the typed texts. It contains no code and
 * no token, since other programs of the system can see it; the agent asks for what it needs.
 */
export function handOverAddress({ baseUrl, subdomain, name, description, sender }: HandOverFacts): string {
  const address = (withText: boolean): string => {
    const facts = { service: baseUrl, portal: subdomain, name, sender, ...(withText ? { description } : {}) };
    return `longshore://portal-upload?${new URLSearchParams(Object.entries(facts).filter(([, value]) => value !== ''))}`;
  };
  const whole = address(true);
  return whole.length <= longest ? whole : address(false);
}
