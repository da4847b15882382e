import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { DownloadIcon, SendIcon } from '#ui/icons.tsx';
import { useApp } from '../app/context.ts';
import { useLive } from '../app/live.ts';
import { useTasks } from '../app/tasks.ts';
import { useLocale } from '../messages/locale.ts';
import { countOf } from '../transfers/list/list-view.ts';
import { Transfers } from '../transfers/transfers.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Shown instead of the transfers while nobody is signed in: sign in, or use what needs no account. */
export function SignInView({ needs }: { readonly needs: boolean }) {
  const { messages } = useLocale();
  const tasks = useTasks();
  const live = useLive();
  const any = useAnyTransfers();
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
      {any ? (
        <section className="signed-out-transfers">
          <Transfers live={live} needs={needs} onSend={() => tasks.send()} onGet={() => tasks.get()} />
        </section>
      ) : null}
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
