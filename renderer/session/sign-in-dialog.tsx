import type { SignedIn } from '#protocol/agent/sessions.ts';
import { useLocale } from '../messages/locale.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

interface SignInDialogProps {
  readonly again: SignedIn | null;
  /** Where a session is lacking; by default the agent's own service. */
  readonly service?: string | undefined;
  readonly onClose: () => void;
}

/** Sign-in to another account, or again to an ended session, above the current view. */
export function SignInDialog({ again, service, onClose }: SignInDialogProps) {
  const { messages } = useLocale();
  return (
    <Dialog title={again ? messages.session.againTitle : messages.session.addTitle} onClose={onClose} filled={false} small>
      {again ? (
        <SignInForm again={{ service: again.service_url, email: again.user?.email ?? '', kind: again.kind }} onDone={onClose} />
      ) : service ? (
        <SignInForm again={{ service, email: '', kind: 'user' }} onDone={onClose} />
      ) : (
        <SignInForm onDone={onClose} />
      )}
    </Dialog>
  );
}
