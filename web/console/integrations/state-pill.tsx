import type { Connection } from '#protocol/hosted/connections.ts';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTexts } from '../app/texts.ts';

const tones = { ok: 'pill-good', error: 'pill-bad', offline: 'pill-warn' } as const;

interface StatePillProps extends Pick<Connection, 'state'> {
  /** Whether a check that is in sight has failed. Not each of them changes the state: a gateway's is told by the gateway. */
  readonly checkFailed?: boolean;
  /** A check is under way: it alone tells. */
  readonly isChecked?: boolean;
}

export function StatePill({ state: kept, checkFailed = false, isChecked = false }: StatePillProps) {
  const { messages } = useTexts({ en, de });
  if (isChecked) return <span className="pill">{messages.stateChecked}</span>;
  const state = kept === 'ok' && checkFailed ? 'error' : kept;
  return <span className={`pill ${tones[state]}`}>{messages.states[state]}</span>;
}
