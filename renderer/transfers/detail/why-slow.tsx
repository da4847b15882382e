import { type AgentTransfer, timeCauses } from '#protocol/agent/transfers.ts';
import { useFormat } from '../../messages/format.ts';
import { formatDuration } from '../describe-transfer.ts';

/** Of growths that are less than 1 together a part of the bar would stay empty. */
const growOf = (seconds: number, elapsed: number): number => (100 * seconds) / elapsed;

/** How a transfer's time was spent, as a bar with text, and what would make it faster. */
export function WhySlow({ transfer, live }: { transfer: AgentTransfer; live: boolean }) {
  const format = useFormat();
  const { slow } = format.messages.transfers.detail;
  const spent = transfer.time_spent;
  const moving = transfer.state === 'transferring' && live;
  const percent = new Intl.NumberFormat(format.tag, { style: 'percent' });
  return (
    <section className="panel" aria-labelledby="slow-heading">
      <h2 id="slow-heading">{moving ? slow.title : slow.titleOver}</h2>
      {!spent || spent.elapsed <= 0 ? (
        <p className="hint">{slow.none}</p>
      ) : (
        <>
          <p>
            {moving && spent.slowest ? slow.slowest[spent.slowest] : null}{' '}
            <span className="hint">{slow.elapsed(formatDuration(format, spent.elapsed))}</span>
          </p>
          <div className="time-bar" aria-hidden="true">
            {timeCauses.map((cause) => (
              <span key={cause} className={`time-${cause}`} style={{ flexGrow: growOf(spent[cause], spent.elapsed) }} />
            ))}
          </div>
          <ul className="time-list">
            {timeCauses
              .filter((cause) => spent[cause] / spent.elapsed >= 0.005)
              .sort((a, b) => spent[b] - spent[a])
              .map((cause) => (
                <li key={cause}>
                  <span className={`time-dot time-${cause}`} aria-hidden="true" />
                  {slow.share(slow.causes[cause], percent.format(spent[cause] / spent.elapsed), formatDuration(format, spent[cause]))}
                </li>
              ))}
          </ul>
        </>
      )}
    </section>
  );
}
