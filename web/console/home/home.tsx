import { useQuery } from '@tanstack/react-query';
import type { TeamOverview } from '#protocol/hosted/overview.ts';
import { PackageIcon, SendIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/home.ts';
import { en } from '../../messages/en/console/home.ts';
import { useMay, useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useFallbackInterval } from '../app/live.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { Downloads, Expiring, Transfers } from './lists.tsx';
import { Storage } from './storage.tsx';
import { Week } from './week.tsx';
import './home.css';

const calls = defineCalls({ teamOverview: { method: 'GET', path: '/v1/teams/{team_id}/overview', reply: { status: 200 } } });

/** Milliseconds between two looks at what moves, where the service does not tell. */
const interval = 30_000;

/** What goes on in a Team. */
export default function Home() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const maySend = useMay()('packages.create');
  const api = useApi(calls);
  // Days end where the person is.
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const overview = useQuery({
    queryKey: ['team', team.id, 'overview', timeZone],
    queryFn: ({ signal }) => api.call('teamOverview', { params: { team_id: team.id }, query: { time_zone: timeZone }, signal }),
    refetchInterval: useFallbackInterval(interval),
  });
  return (
    <div className="view">
      <PageHeader title={messages.title} text={team.name}>
        <a className="button" href={`/t/${team.id}/packages`}>
          {messages.toPackages}
        </a>
        {maySend ? (
          <a className="button button-primary" href={`/t/${team.id}/send`}>
            <SendIcon /> {messages.send}
          </a>
        ) : null}
      </PageHeader>
      <QueryView query={overview}>{(data) => (isEmpty(data) ? <Empty /> : <Overview data={data} />)}</QueryView>
    </div>
  );
}

const isEmpty = ({ days, storage, downloads, transfers }: TeamOverview): boolean =>
  storage.packages === 0 &&
  downloads.length === 0 &&
  transfers.length === 0 &&
  days.every(({ sent, received }) => sent.packages + received.packages === 0);

function Empty() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const may = useMay();
  const text = may('packages.see_all') ? messages.emptyText : messages.ownText;
  return (
    <ViewState icon={<PackageIcon />} title={messages.empty} text={text}>
      {may('packages.create') ? (
        <a className="button button-primary" href={`/t/${team.id}/send`}>
          {messages.sendFirst}
        </a>
      ) : null}
    </ViewState>
  );
}

function Overview({ data }: { readonly data: TeamOverview }) {
  return (
    <div className="home">
      <Week days={data.days} />
      <Storage storage={data.storage} />
      <Expiring expiring={data.expiring} />
      <Downloads downloads={data.downloads} />
      <Transfers transfers={data.transfers} />
    </div>
  );
}
