import type { ProviderName } from '#protocol/providers.ts';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';

interface SetupLinkProps {
  readonly provider: ProviderName;
  /** In a tab of its own, so that nothing that was filled in is lost. */
  readonly elsewhere?: boolean;
}

/** Leads to what is to be made at a provider, and which permissions to give. */
export function SetupLink({ provider, elsewhere = false }: SetupLinkProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  return (
    <a href={`/t/${team.id}/integrations/setup/${provider}`} {...(elsewhere && { target: '_blank' })}>
      {messages.setup}
    </a>
  );
}
