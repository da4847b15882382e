import { Resolver } from 'node:dns/promises';
import type { TxtResolver } from './ports.ts';

const timeoutMilliseconds = 3_000;

/** By the machine's resolver. */
export function systemTxtResolver(): TxtResolver {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries: 2 });
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      // The name server has answered: there are none.
      if (error instanceof Error && 'code' in error && (error.code === 'ENODATA' || error.code === 'ENOTFOUND')) return [];
      throw error;
    }
  };
}

/** What the TXT record of a domain has to say. */
export const recordValue = (token: string): string => `longshore-verification=${token}`;

/** Whether the domain has the record now. Null if that cannot be known. */
export async function hasRecord(resolve: TxtResolver, { domain, token }: { readonly domain: string; readonly token: string }) {
  try {
    return (await resolve(domain)).some((text) => text.trim() === recordValue(token));
  } catch {
    // A name server that does not answer says nothing: nobody loses a domain by it.
    return null;
  }
}
