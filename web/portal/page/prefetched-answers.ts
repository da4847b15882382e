import type { ApiReply, Fetcher } from '#client/ports.ts';
import type { PortalAddress } from './portal-address.ts';

/** Answers requested before the page's own code was loaded, by address. Each answer is used once. */
type PrefetchedAnswers = Map<string, Promise<ApiReply>>;

declare global {
  // The only variable that the two scripts of the page share.
  var longshorePrefetched: PrefetchedAnswers | undefined;
}

const accept = { accept: 'application/json' } as const;

/** Requests the Portal's id and then the Portal, without an access code. */
export function prefetchAnswers(fetcher: Fetcher, { baseUrl, subdomain }: PortalAddress): PrefetchedAnswers {
  const answers: PrefetchedAnswers = new Map();
  const ask = (path: string): Promise<ApiReply> => {
    const asked = fetcher({ method: 'GET', url: baseUrl + path, headers: accept });
    // Avoids an unhandled rejection: the consumer handles the failure.
    asked.catch(() => undefined);
    answers.set(baseUrl + path, asked);
    return asked;
  };
  ask(`/v1/subdomains/portals/${subdomain}`)
    .then(({ status, text }) => {
      if (status === 200) void ask(`/v1/portals/${(JSON.parse(text) as { id: string }).id}`);
    })
    // The page makes the same request, fails the same way, and shows the message.
    .catch(() => undefined);
  return answers;
}

/** Uses a prefetched answer for exactly the same request without a credential, once. */
export function withPrefetched(fetcher: Fetcher, early: PrefetchedAnswers | undefined): Fetcher {
  return (request) => {
    const { method, url, headers } = request;
    const plain = method === 'GET' && Object.keys(headers).every((name) => name === 'accept');
    const asked = plain ? early?.get(url) : undefined;
    if (!asked) return fetcher(request);
    early!.delete(url);
    return asked;
  };
}
