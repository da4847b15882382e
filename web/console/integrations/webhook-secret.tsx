import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTexts } from '../app/texts.ts';
import { SecretOnce } from '../ui/secret-once.tsx';

export function WebhookSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  return (
    <SecretOnce
      title={messages.newSecretTitle}
      text={messages.secretText}
      label={messages.secret}
      copyLabel={messages.copySecret}
      secret={secret}
      use={messages.secretUse}
      done={messages.done}
      onClose={onClose}
    />
  );
}
