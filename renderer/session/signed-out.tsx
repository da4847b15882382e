import { useState } from 'react';
import { GetDialog } from '../get/get-dialog.tsx';
import { emptyBook } from '../transfers/book.ts';
import { useTransfers } from '../transfers/queries.ts';
import { Transfers } from '../transfers/transfers.tsx';
import { GetIcon, Mark } from '../ui/icons.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Nobody is signed in: sign in, or get files with a link, which needs no account. */
export function SignedOut({ live }: { live: boolean }) {
  const [getting, setGetting] = useState(false);
  const { data = emptyBook } = useTransfers();
  return (
    <main className="signed-out">
      <div className="brand">
        <Mark />
        <span>Longshore</span>
      </div>
      <section className="card card-form" aria-labelledby="sign-in-heading">
        <h1 id="sign-in-heading">Sign in</h1>
        <SignInForm />
      </section>
      <div className="without-account">
        <p>Somebody sent you a link? You need no account to download.</p>
        <button type="button" className="button" onClick={() => setGetting(true)}>
          <GetIcon /> Get files
        </button>
      </div>
      {data.byId.size > 0 ? (
        <section className="signed-out-transfers">
          <Transfers live={live} onSend={null} onGet={() => setGetting(true)} />
        </section>
      ) : null}
      {getting ? <GetDialog onClose={() => setGetting(false)} /> : null}
    </main>
  );
}
