import { useStatus } from '../session/queries.ts';
import { useSpeaking } from '../words/speaking.ts';
import { useLive } from './live-context.ts';
import { hrefOf } from './route.ts';

/** Whether the agent is there, and whether it has something to say that the person should know. */
export function AgentState() {
  const { words, number } = useSpeaking();
  const live = useLive();
  const notices = useStatus().data?.warnings.length ?? 0;
  return (
    <p className="agent-state">
      <span className={live ? 'dot dot-good' : 'dot dot-bad'} aria-hidden="true" />
      {live ? words.app.agent.running : words.app.agent.away}
      {notices > 0 ? <a href={hrefOf({ place: 'about' })}>{words.app.agent.notices(number(notices), notices === 1)}</a> : null}
    </p>
  );
}
