import { useQuery } from '@tanstack/react-query';
import { de } from '../../messages/de/console/sso.ts';
import { en } from '../../messages/en/console/sso.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView } from '../ui/view-states.tsx';
import { ssoCalls, ssoKey } from './calls.ts';
import { Domains } from './domains.tsx';
import { SsoForm } from './sso-form.tsx';
import '../ui/rows.css';
import './sso.css';

/** How members of the Team sign in through their company. */
export default function Sso() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(ssoCalls);
  const sso = useQuery({
    queryKey: ssoKey(team.id),
    queryFn: ({ signal }) => api.call('getSso', { params: { team_id: team.id }, signal }),
    // What a person is typing is not replaced by what others have changed meanwhile.
    refetchOnWindowFocus: false,
  });
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text} back={{ href: `/t/${team.id}/team`, label: messages.backToTeam }} />
      <QueryView query={sso}>
        {(data) => (
          <div className="sso">
            <Domains domains={data.domains} />
            <SsoForm sso={data} />
          </div>
        )}
      </QueryView>
    </div>
  );
}
