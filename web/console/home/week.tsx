import type { TeamOverview } from '#protocol/hosted/overview.ts';
import { de } from '../../messages/de/console/home.ts';
import { en } from '../../messages/en/console/home.ts';
import { useTexts } from '../app/texts.ts';
import { barHeight } from './bar-height.ts';

type Days = TeamOverview['days'];

/** What came and went on each of the last seven days: bars for the bytes, and both sums. */
export function Week({ days }: { readonly days: Days }) {
  const { messages, number, size, tag } = useTexts({ en, de });
  const { week } = messages;
  const highest = Math.max(1, ...days.flatMap(({ sent, received }) => [sent.bytes, received.bytes]));
  const sum = (way: 'sent' | 'received') =>
    days.reduce((all, one) => ({ packages: all.packages + one[way].packages, bytes: all.bytes + one[way].bytes }), {
      packages: 0,
      bytes: 0,
    });
  const amount = ({ packages, bytes }: Days[number]['sent']) => week.amount(number(packages), size(bytes), packages === 1);
  const weekday = new Intl.DateTimeFormat(tag, { weekday: 'short', timeZone: 'UTC' });
  return (
    <section className="panel home-week">
      <div className="panel-head">
        <h2>{week.title}</h2>
        <p className="home-legend hint">
          <span>
            <span className="home-mark home-sent" aria-hidden="true" /> {week.sent}: {amount(sum('sent'))}
          </span>
          <span>
            <span className="home-mark home-received" aria-hidden="true" /> {week.received}: {amount(sum('received'))}
          </span>
        </p>
      </div>
      <ol className="home-days">
        {days.map(({ day, sent, received }) => (
          <li key={day} title={week.day(day, amount(sent), amount(received))}>
            <span className="visually-hidden">{week.day(day, amount(sent), amount(received))}</span>
            <span className="home-bars" aria-hidden="true">
              <span className="home-bar home-sent" style={{ height: `${barHeight(sent.bytes, highest)}%` }} />
              <span className="home-bar home-received" style={{ height: `${barHeight(received.bytes, highest)}%` }} />
            </span>
            <span className="hint" aria-hidden="true">
              {weekday.format(new Date(`${day}T00:00:00Z`))}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
