import { useQuery } from '@tanstack/react-query';
import { de } from '../../messages/de/console/team.ts';
import { en } from '../../messages/en/console/team.ts';
import { useMay, useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView } from '../ui/view-states.tsx';
import { teamCalls } from './calls.ts';
import { SettingsForm } from './settings-form.tsx';
import './team.css';

/** What holds for everybody in the Team: how it looks, what is usual, and what is not allowed. */
export default function Team() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const maySso = useMay()('sso.manage');
  const api = useApi(teamCalls);
  const settings = useQuery({
    queryKey: ['team', team.id, 'settings'],
    queryFn: ({ signal }) => api.call('getTeam', { params: { team_id: team.id }, signal }),
    // What a person is typing is not replaced by what others have changed meanwhile.
    refetchOnWindowFocus: false,
  });
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text}>
        {maySso ? (
          <a className="button" href={`/t/${team.id}/sso`}>
            {messages.sso}
          </a>
        ) : null}
        <a className="button" href={`/t/${team.id}/usage`}>
          {messages.usage}
        </a>
      </PageHeader>
      <QueryView query={settings}>{(data) => <SettingsForm settings={data} />}</QueryView>
    </div>
  );
}
