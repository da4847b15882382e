import type { SignedIn } from '#protocol/agent/sessions.ts';
import { useLocale } from '../messages/locale.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

interface SignInDialogProps {
  /** An ended session to sign in to again; null for another account. */
  readonly renew: SignedIn | null;
  /** Where a session is lacking; by default the agent's own service. */
  readonly service?: string | undefined;
  readonly onClose: () => void;
}

/** Sign-in to another account, or again to an ended session, above the current view. */
export function SignInDialog({ renew, service, onClose }: SignInDialogProps) {
  const { messages } = useLocale();
  return (
    <Dialog title={renew ? messages.session.signInAgainTitle : messages.session.addTitle} onClose={onClose} filled={false} small>
      {renew ? (
        <SignInForm account={{ service: renew.service_url, email: renew.user?.email ?? '', kind: renew.kind }} onDone={onClose} />
      ) : service ? (
        <SignInForm account={{ service, email: '', kind: 'user' }} onDone={onClose} />
      ) : (
        <SignInForm onDone={onClose} />
      )}
    </Dialog>
  );
}
