import { useFormat } from '../messages/format.ts';
import { useUnreachableAddresses } from '../services/unreachable.ts';
import { useStatus } from '../session/queries.ts';
import { useLive } from './live-context.ts';
import { hrefOf } from './route.ts';

/** Whether the agent is connected, and whether it has warnings for the person. */
export function AgentState() {
  const { messages, number } = useFormat();
  const live = useLive();
  const cutOff = useUnreachableAddresses().size > 0;
  const notices = useStatus().data?.warnings.length ?? 0;
  return (
    <p className="agent-state">
      <span className={`dot dot-${live ? (cutOff ? 'warn' : 'good') : 'bad'}`} aria-hidden="true" />
      {live ? (cutOff ? messages.app.unreachable.short : messages.app.agent.running) : messages.app.agent.away}
      {notices > 0 ? <a href={hrefOf({ name: 'about' })}>{messages.app.agent.notices(number(notices), notices === 1)}</a> : null}
    </p>
  );
}
