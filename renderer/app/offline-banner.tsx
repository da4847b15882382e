import { WarnIcon } from '#ui/icons.tsx';
import type { AgentFailure } from '../agent/failure.ts';
import { faultWords } from '../messages/faults.tsx';
import { useLocale } from '../messages/locale.ts';
import { Spoken } from '../messages/spoken.tsx';

/** The agent is not reachable: the page may show old data. The banner disappears by itself. */
export function OfflineBanner({ failure }: { failure: AgentFailure }) {
  const { messages } = useLocale();
  const { offline } = messages.app;
  return (
    <div className="banner" role="alert">
      <WarnIcon />
      <p>
        <strong>{offline.title}</strong> {failure.kind === 'answered' ? <Spoken said={faultWords(failure, messages)} /> : offline.text}{' '}
        {offline.again}
      </p>
    </div>
  );
}
