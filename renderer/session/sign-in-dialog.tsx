import type { SignedIn } from '#protocol/agent/sessions.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useTongue } from '../words/words.ts';
import { SignInForm } from './sign-in-form.tsx';

/** One more account, or an ended one again, above whatever the person was doing. */
export function SignInDialog({ again, onClose }: { again: SignedIn | null; onClose: () => void }) {
  const { words } = useTongue();
  return (
    <Dialog title={again ? words.session.againTitle : words.session.addTitle} onClose={onClose} small>
      {again ? (
        <SignInForm again={{ service: again.service_url, email: again.user?.email ?? '', kind: again.kind }} onDone={onClose} />
      ) : (
        <SignInForm onDone={onClose} />
      )}
    </Dialog>
  );
}
