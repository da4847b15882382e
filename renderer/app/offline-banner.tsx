import { WarnIcon } from '#ui/icons.tsx';
import type { AgentFailure } from '../agent/failure.ts';
import { faultWords } from '../words/faults.tsx';
import { Spoken } from '../words/spoken.tsx';
import { useTongue } from '../words/words.ts';

/** The agent is not reachable: the page may show old data. The banner disappears by itself. */
export function OfflineBanner({ failure }: { failure: AgentFailure }) {
  const { words } = useTongue();
  const { offline } = words.app;
  return (
    <div className="banner" role="alert">
      <WarnIcon />
      <p>
        <strong>{offline.title}</strong> {failure.kind === 'answered' ? <Spoken said={faultWords(failure, words)} /> : offline.text}{' '}
        {offline.again}
      </p>
    </div>
  );
}
