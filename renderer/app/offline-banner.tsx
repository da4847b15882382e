import type { AgentFailure } from '../agent/failure.ts';
import { WarnIcon } from '../ui/icons.tsx';
import { useTongue } from '../words/words.ts';

/** The agent has gone: what is on the page may be old. It goes away by itself. */
export function OfflineBanner({ failure }: { failure: AgentFailure }) {
  const { offline } = useTongue().words.app;
  return (
    <div className="banner" role="alert">
      <WarnIcon />
      <p>
        <strong>{offline.title}</strong> {failure.kind === 'answered' ? failure.message : offline.text} {offline.again}
      </p>
    </div>
  );
}
