import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { DownloadIcon, SendIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import { useLive } from '../app/live.ts';
import { useTasks } from '../app/tasks.ts';
import { useLocale } from '../messages/locale.ts';
import { countOf } from '../transfers/list/list-view.ts';
import { Transfers } from '../transfers/transfers.tsx';
import { SignInDialog } from './sign-in-dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Shown while nobody is signed in: sign in, or use what needs no account. Transfers that are there stay in sight. */
export function SignInView({ needs }: { readonly needs: boolean }) {
  const { messages } = useLocale();
  const tasks = useTasks();
  const live = useLive();
  const any = useAnyTransfers();
  const [signingIn, setSigningIn] = useState(false);
  if (any) {
    // What is under way comes first: signing in is offered above it, and covers nothing.
    return (
      <div className="signed-out-busy">
        <Notice tone="plain">
          <span>
            {messages.session.signedOut}{' '}
            <button type="button" className="button-link" onClick={() => setSigningIn(true)}>
              {messages.session.signIn}
            </button>
          </span>
        </Notice>
        <Transfers live={live} needs={needs} onSend={() => tasks.send()} onGet={() => tasks.get()} />
        {signingIn ? <SignInDialog renew={null} onClose={() => setSigningIn(false)} /> : null}
      </div>
    );
  }
  return (
    <div className="signed-out">
      <section className="card card-form" aria-labelledby="sign-in-heading">
        <h1 id="sign-in-heading">{messages.session.signIn}</h1>
        <SignInForm />
      </section>
      <div className="without-account">
        <p>{messages.session.withoutAccount}</p>
        <div className="without-account-actions">
          <button type="button" className="button" onClick={() => tasks.get()}>
            <DownloadIcon /> {messages.app.get}
          </button>
          <button type="button" className="button" onClick={() => tasks.send()}>
            <SendIcon /> {messages.session.toPortal}
          </button>
        </div>
      </div>
    </div>
  );
}

const key = ['transfers', 'any'] as const;

/** Whether there is any transfer, for views that show a list only then. */
function useAnyTransfers(): boolean {
  const { client, feed } = useApp();
  const cache = useQueryClient();
  const { data = false } = useQuery({
    queryKey: key,
    // Not kept up to date while unused, so it is read again each time.
    staleTime: 0,
    queryFn: async ({ signal }) => countOf('all', await client.call('summarizeTransfers', { signal })) > 0,
  });
  useEffect(
    () =>
      feed.listen((message) => {
        if (message.type === 'events' && message.events.some(({ type }) => type === 'transfer.added')) cache.setQueryData(key, true);
      }),
    [feed, cache],
  );
  return data;
}
