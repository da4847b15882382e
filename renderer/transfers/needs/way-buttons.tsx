import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useFormat } from '../../messages/format.ts';
import { type Way, waysOut } from './ways.ts';
import { useFollow } from './ways-provider.tsx';

interface WayButtonsProps {
  readonly transfer: AgentTransfer;
  /** The likeliest one alone, as in a row. */
  readonly only?: boolean;
  readonly tabIndex?: number;
}

/** What a person can do for a transfer that stays as it is until somebody does. */
export function WayButtons({ transfer, only = false, tabIndex }: WayButtonsProps) {
  const follow = useFollow();
  const { messages } = useFormat();
  const { actOn, ways } = messages.transfers;
  const all = waysOut(transfer);
  const label = (way: Way): string => (way === 'again' && transfer.state !== 'error' ? messages.app.tryNow : ways[way]);
  return all.slice(0, only ? 1 : all.length).map((way, index) => (
    <button
      key={way}
      type="button"
      className={only ? 'button button-small' : index === 0 ? 'button button-primary' : 'button'}
      tabIndex={tabIndex}
      aria-label={only ? actOn(label(way), transfer.name) : undefined}
      onClick={() => follow(transfer, way)}
    >
      {label(way)}
    </button>
  ));
}
