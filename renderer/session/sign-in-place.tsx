import { DownloadIcon, SendIcon } from '#ui/icons.tsx';
import { useLive } from '../app/live-context.ts';
import { useTasks } from '../app/tasks.ts';
import { useLocale } from '../messages/locale.ts';
import { useAnyTransfers } from '../transfers/any-transfers.ts';
import { Transfers } from '../transfers/transfers.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Shown instead of the transfers while nobody is signed in: sign in, or use what needs no account. */
export function SignInPlace({ needs }: { readonly needs: boolean }) {
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
