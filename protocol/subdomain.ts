/**
 * A subdomain of a Team or Portal: a label of a host name (RFC 1123), 3 to 53 of a-z, 0-9 and `-`, which is neither
 * first nor last. The third and fourth character must not both be `-`: such labels are reserved for encoded Unicode
 * (RFC 5890), get no certificate, and a browser shows them as another name.
 */
export const subdomainPattern = '^(?!..--)[a-z0-9][a-z0-9-]{1,51}[a-z0-9]$';

const form = new RegExp(subdomainPattern);

export const isSubdomain = (text: string): boolean => form.test(text);
