import type { Connection } from '#protocol/hosted/connections.ts';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTexts } from '../app/texts.ts';

const tones = { ok: 'pill-good', error: 'pill-bad', offline: 'pill-warn' } as const;

export function StatePill({ state }: Pick<Connection, 'state'>) {
  const { messages } = useTexts({ en, de });
  return <span className={`pill ${tones[state]}`}>{messages.states[state]}</span>;
}
