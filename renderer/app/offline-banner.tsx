import type { AgentCallError } from '#client/agent-call-error.ts';
import { WarnIcon } from '#ui/icons.tsx';
import { useLocale } from '../messages/locale.ts';
import { Localized } from '../messages/localized.tsx';
import { faultText } from '../messages/localized-text.ts';

/** The agent is not reachable: the page may show old data. The banner disappears by itself. */
export function OfflineBanner({ failure }: { failure: AgentCallError }) {
  const { messages } = useLocale();
  const { offline } = messages.app;
  return (
    <div className="banner" role="alert">
      <WarnIcon />
      <p>
        <strong>{offline.title}</strong> {failure.kind === 'answered' ? <Localized text={faultText(failure, messages)} /> : offline.text}{' '}
        {offline.retries}
      </p>
    </div>
  );
}
