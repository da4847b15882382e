import { type AgentProcess, type AgentProcessOptions, startAgentProcess } from '../engine/agent-process.ts';
import { type KillMoment, killedAt } from './kill-moment.ts';

/** For a moment that never comes; then it is killed all the same, and the test fails. */
const patienceMs = 300_000;

/**
 * Runs an agent that kills itself at this moment, which may be before it has said that it is there. Resolves when it is gone.
 *
 * @param meanwhile what is asked of it. A call that it dies in is left; whoever starts it next makes it again.
 */
export async function untilKilled(
  options: Omit<AgentProcessOptions, 'env'>,
  moment: KillMoment,
  meanwhile: (agent: AgentProcess) => Promise<unknown>,
): Promise<void> {
  const agent = await startAgentProcess({ ...options, env: killedAt(moment) }).catch(() => null);
  if (!agent) return;
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    void agent.kill();
  }, patienceMs);
  await meanwhile(agent).catch(() => undefined);
  await agent.ended;
  clearTimeout(late);
  if (isLate) throw new Error(`The moment never came: ${JSON.stringify(moment)}.`);
}
