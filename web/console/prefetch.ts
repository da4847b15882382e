import type { ApiReply } from '#client/ports.ts';
import type {} from './app/prefetched.ts';
import { teamIn } from './app/team-in.ts';

/**
 * Runs before the console's own code, which is a hundred times as large: it asks who is signed in, and has the code and the
 * answer of what is shown first come meanwhile. On a slow line that saves three round trips.
 */

/** Files of a view, by the attributes that the build gives this script's element. */
const { home = '', signIn = '' } = (document.currentScript as HTMLScriptElement).dataset;

const load = (files: string): void => {
  for (const href of files.split(' ')) {
    if (href === '') continue;
    const link = document.createElement('link');
    // The console asks for its modules in the same way, so that they are used and not fetched again.
    Object.assign(link, href.endsWith('.css') ? { rel: 'preload', as: 'style', href } : { rel: 'modulepreload', href });
    link.crossOrigin = '';
    document.head.append(link);
  }
};

/** Milliseconds after which the console asks by itself. */
const patience = 15_000;
const replies = new Map<string, Promise<ApiReply>>();
globalThis.longshoreReplies = replies;

function ask(path: string): Promise<ApiReply> {
  const reply = fetch(path, {
    headers: { accept: 'application/json', 'x-longshore-page': '1' },
    cache: 'no-store',
    credentials: 'same-origin',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(patience),
  }).then(async (answer) => ({ status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }));
  // The console asks again where this fails, and says what is wrong.
  reply.catch(() => replies.delete(location.origin + path));
  replies.set(location.origin + path, reply);
  return reply;
}

const { pathname } = location;
const [, asked] = /^\/(?:t\/([^/]+)\/?)?$/.exec(pathname) ?? [];
const isHome = pathname === '/' || asked !== undefined;

if (pathname === '/sign-in') load(signIn);
else if (isHome) load(home);
if (!pathname.startsWith('/sso/')) {
  ask(`/v1/users/me?${new URLSearchParams({ watch: teamIn(pathname) })}`)
    .then(({ status, text }) => {
      if (status === 401) load(signIn);
      if (status !== 200 || !isHome) return;
      const { user, teams } = JSON.parse(text) as { user: { preferred_team_id: string }; teams: { id: string }[] };
      const team = asked ?? (teams.find(({ id }) => id === user.preferred_team_id) ?? teams[0])?.id;
      const query = new URLSearchParams({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
      if (teams.some(({ id }) => id === team)) void ask(`/v1/teams/${team}/overview?${query}`);
    })
    .catch(() => undefined);
}
