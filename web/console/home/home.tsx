import { useQuery } from '@tanstack/react-query';
import { PackageIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/home.ts';
import { en } from '../../messages/en/console/home.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import './home.css';

const calls = defineCalls({
  listTeamPackages: { method: 'GET', path: '/v1.1/teams/{team_id}/packages', reply: { status: 200 } },
});

const shown = 10;

/** What a Team sent and received last. */
export default function Home() {
  const { messages, size, files, moment } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const packages = useQuery({
    queryKey: ['team', team.id, 'packages', 'newest'],
    queryFn: ({ signal }) =>
      api.call('listTeamPackages', {
        params: { team_id: team.id },
        query: { page: 1, limit: shown, sort: '-created_at', status: ['finalized'] },
        signal,
      }),
  });
  return (
    <div className="view">
      <PageHeader title={messages.title} text={team.name} />
      <QueryView query={packages}>
        {({ records }) =>
          records.length === 0 ? (
            <ViewState icon={<PackageIcon />} title={messages.empty} text={messages.emptyText} />
          ) : (
            <section className="panel">
              <h2>{messages.latest}</h2>
              <ul className="home-packages">
                {records.map((one) => (
                  <li key={one.id}>
                    <span className="home-name" dir="auto">
                      {one.name}
                    </span>
                    <span className="hint">
                      {files(one.total_files)}, {size(one.size)} · {moment(one.created_at)}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          )
        }
      </QueryView>
    </div>
  );
}
