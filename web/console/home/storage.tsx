import { useQuery } from '@tanstack/react-query';
import type { Quotas } from '#protocol/hosted/quotas.ts';
import type { StorageUsage } from '#protocol/hosted/usage.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/home.ts';
import { en } from '../../messages/en/console/home.ts';
import { useMay, useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { barHeight } from './bar-height.ts';

const calls = defineCalls({ getStorageUsage: { method: 'GET', path: '/v1/teams/{team_id}/usage/storage', reply: { status: 200 } } });

interface Amount {
  readonly packages: number;
  readonly bytes: number;
}

/** Milliseconds between two looks: the service reads all packages for one, and days change by the day. */
const slowInterval = 300_000;

/** What is stored now, and for those who manage the Team what was stored each day and what it costs. */
export function Storage({ storage }: { readonly storage: Amount }) {
  const { messages, number, size } = useTexts({ en, de });
  const team = useTeam();
  const mayManage = useMay()('team.manage');
  const api = useApi(calls);
  const usage = useQuery({
    queryKey: ['team', team.id, 'storage'],
    queryFn: ({ signal }) => api.call('getStorageUsage', { params: { team_id: team.id }, query: { days: shownDays }, signal }),
    enabled: mayManage,
    refetchInterval: slowInterval,
  });
  const told = useLimits(usage.data?.quotas);
  const { bytes, packages } = usage.data?.days.at(-1) ?? storage;
  return (
    <section className={usage.data ? 'panel home-storage' : 'panel'}>
      <div>
        <h2>{messages.storage.title}</h2>
        <p className="home-figure figure">{size(bytes)}</p>
        <p className="hint">{messages.storage.used(number(packages), packages === 1)}</p>
        {told.map((one) => (
          <p key={one.text} className="hint">
            {one.text}
          </p>
        ))}
        {usage.data ? <Costs usage={usage.data} /> : null}
      </div>
      {usage.data ? <Chart usage={usage.data} /> : null}
      {told.some(({ isNearlyUsed }) => isNearlyUsed) ? <Notice tone="warn">{messages.storage.nearlyUsed}</Notice> : null}
    </section>
  );
}

/** From this share of a limit on it is told as a warning. */
const nearlyUsed = 0.8;

/** What is used of the Team's limits. */
function useLimits(quotas: Quotas | undefined): readonly { readonly text: string; readonly isNearlyUsed: boolean }[] {
  const { messages, size } = useTexts({ en, de });
  const { storage, traffic } = quotas ?? {};
  const limits = [
    ...(storage ? [{ ...storage, text: messages.storage.quota }] : []),
    ...(traffic ? [{ ...traffic, text: messages.storage.traffic }] : []),
  ];
  return limits.map(({ used, limit, text }) => ({ text: text(size(used), size(limit)), isNearlyUsed: used >= limit * nearlyUsed }));
}

const shownDays = 30;

function Costs({ usage: { price, currency, days } }: { readonly usage: StorageUsage }) {
  const { messages, tag } = useTexts({ en, de });
  const team = useTeam();
  const text = messages.storage;
  if (price === 0) {
    return (
      <p className="hint home-costs">
        {text.noPrice}{' '}
        <a className="link" href={`/t/${team.id}/team`}>
          {text.setPrice}
        </a>
      </p>
    );
  }
  const money = moneyIn(currency, tag);
  const sum = days.reduce((all, { cost = 0 }) => all + cost, 0);
  return (
    <p className="home-costs">
      {text.costToday(money(days.at(-1)?.cost ?? 0))}
      <br />
      <span className="hint">{text.costSum(money(sum), String(days.length), days.length === 1)}</span>
    </p>
  );
}

/** A bar for each of the last days; days from before the Team stay empty. */
function Chart({ usage: { currency, days } }: { readonly usage: StorageUsage }) {
  const { messages, size, tag } = useTexts({ en, de });
  const text = messages.storage;
  const highest = Math.max(1, ...days.map(({ bytes }) => bytes));
  const date = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const dateOf = (day: string) => date.format(new Date(`${day}T00:00:00Z`));
  const textOf = ({ day, bytes, cost }: StorageUsage['days'][number]) =>
    text.day(dateOf(day), size(bytes)) + (cost === undefined ? '' : `, ${moneyIn(currency, tag)(cost)}`);
  return (
    <figure className="home-chart">
      <figcaption className="hint">{text.byDay(size(highest === 1 ? 0 : highest))}</figcaption>
      <ol className="home-storage-days" aria-label={text.byDayLabel}>
        {Array.from({ length: shownDays - days.length }, (_, missing) => (
          <li key={missing} aria-hidden="true" />
        ))}
        {days.map((one) => (
          <li key={one.day} title={textOf(one)}>
            <span className="visually-hidden">{textOf(one)}</span>
            <span className="home-storage-bar" aria-hidden="true" style={{ height: `${barHeight(one.bytes, highest)}%` }} />
          </li>
        ))}
      </ol>
      <p className="home-axis hint" aria-hidden="true">
        <span>{dateOf(shifted(days.at(-1)?.day, 1 - shownDays))}</span>
        <span>{text.today}</span>
      </p>
    </figure>
  );
}

const dayLength = 24 * 3_600_000;
const shifted = (day: string | undefined, by: number): string =>
  new Date((day === undefined ? Date.now() : Date.parse(day)) + by * dayLength).toISOString().slice(0, 10);

/** Small amounts keep digits that say something: a day of a small Team costs less than a cent. */
function moneyIn(currency: string, tag: string): (amount: number) => string {
  return (amount) =>
    new Intl.NumberFormat(tag, {
      style: 'currency',
      currency,
      ...(amount > 0 && amount < 0.1 && { minimumSignificantDigits: 1, maximumSignificantDigits: 2 }),
    }).format(amount);
}
