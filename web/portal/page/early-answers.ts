import type { ApiReply, Fetcher } from '#client/ports.ts';
import type { PlaceOfPage } from './place-of-page.ts';

/** What was asked of the service before the page's own code was there, by address. Each answer is for one who asks. */
export type EarlyAnswers = Map<string, Promise<ApiReply>>;

declare global {
  // Two scripts of one page share nothing else.
  var longshoreEarly: EarlyAnswers | undefined;
}

const accept = { accept: 'application/json' } as const;

/** Asks which Portal this is, and then for it, as somebody without an access code. */
export function askEarly(fetcher: Fetcher, { baseUrl, subdomain }: PlaceOfPage): EarlyAnswers {
  const answers: EarlyAnswers = new Map();
  const ask = (path: string): Promise<ApiReply> => {
    const asked = fetcher({ method: 'GET', url: baseUrl + path, headers: accept });
    // Whoever takes it hears of the failure.
    asked.catch(() => undefined);
    answers.set(baseUrl + path, asked);
    return asked;
  };
  ask(`/v1/subdomains/portals/${subdomain}`)
    .then(({ status, text }) => {
      if (status === 200) void ask(`/v1/portals/${(JSON.parse(text) as { id: string }).id}`);
    })
    // Whatever is wrong with it, the page meets it too, and has words for it.
    .catch(() => undefined);
  return answers;
}

/** Takes an early answer where there is one for exactly this question: with no credential, once. */
export function withEarly(fetcher: Fetcher, early: EarlyAnswers | undefined): Fetcher {
  return (request) => {
    const { method, url, headers } = request;
    const plain = method === 'GET' && Object.keys(headers).every((name) => name === 'accept');
    const asked = plain ? early?.get(url) : undefined;
    if (!asked) return fetcher(request);
    early!.delete(url);
    return asked;
  };
}
