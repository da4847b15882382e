import type { AgentFailure } from '../agent/failure.ts';
import { WarnIcon } from '../ui/icons.tsx';

/** The agent has gone: what is on the page may be old. It goes away by itself. */
export function OfflineBanner({ failure }: { failure: AgentFailure }) {
  return (
    <div className="banner" role="alert">
      <WarnIcon />
      <p>
        <strong>Not connected to the agent.</strong>{' '}
        {failure.kind === 'answered' ? failure.message : 'What you see may be old. Transfers go on by themselves once it runs again.'}{' '}
        Trying again…
      </p>
    </div>
  );
}
