import { useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { WarnIcon } from '#ui/icons.tsx';
import { useLocale } from '../messages/locale.ts';
import { nameOf } from './account-menu.tsx';
import { useSignOut } from './queries.ts';
import { serviceName } from './service-address.ts';
import { SignInDialog } from './sign-in-dialog.tsx';

/** Sessions that their services have ended. The person can sign in again without leaving the current view. */
export function EndedBanners({ sessions }: { sessions: readonly SignedIn[] }) {
  const { session: messages } = useLocale().messages;
  const signOut = useSignOut();
  const [renewed, setRenewed] = useState<SignedIn | null>(null);
  return (
    <>
      {sessions
        .filter(({ state }) => state === 'ended')
        .map((one) => (
          <div key={one.id} className="banner" role="alert">
            <WarnIcon />
            <p>
              {messages.ended(nameOf(one), serviceName(one.service_url))}{' '}
              <button type="button" className="button-link" onClick={() => setRenewed(one)}>
                {messages.signInAgain}
              </button>
              {' · '}
              <button type="button" className="button-link" onClick={() => signOut.mutate(one.id)}>
                {messages.forget}
              </button>
            </p>
          </div>
        ))}
      {renewed ? <SignInDialog renew={renewed} onClose={() => setRenewed(null)} /> : null}
    </>
  );
}
