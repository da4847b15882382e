import { Notice } from '#ui/notice.tsx';
import { useAccount } from '../app/account.ts';
import { useShellTexts } from '../app/texts.ts';

/** Where somebody is about to have people written to by a service that sends no mail: it says so, and what to do. */
export function NoMailNotice() {
  const { messages } = useShellTexts();
  const { sends_mail: sendsMail, user } = useAccount();
  if (sendsMail !== false) return null;
  return <Notice tone="warn">{user.operator ? messages.noMailOperator : messages.noMail}</Notice>;
}
