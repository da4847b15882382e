import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Portal } from '#protocol/hosted/portals.ts';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { useAddress } from '../../app/address.ts';
import { useApi } from '../../app/api.ts';
import { useTexts } from '../../app/texts.ts';
import type { ViewProps } from '../../app/view-props.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { LoadingState, QueryView } from '../../ui/view-states.tsx';
import { pageOf, portalCalls, portalsKey } from '../calls.ts';
import { PageTab } from './page-tab.tsx';
import '../portals.css';
import './editor.css';
import { Tabs } from '../../ui/tabs.tsx';

const FormTab = lazy(() => import('../form/form-tab.tsx'));
const AnswersTab = lazy(() => import('../form/answers-tab.tsx'));

const tabs = ['settings', 'form', 'answers'] as const;
type Tab = (typeof tabs)[number];

/** One Portal: its page, its form and what was answered. */
export default function PortalEditor({ params }: ViewProps) {
  const team = useTeam();
  const api = useApi(portalCalls);
  const cache = useQueryClient();
  const id = params['portal_id']!;
  const key = [...portalsKey(team.id), id];
  const portal = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await api.call('getPortal', { params: { portal_id: id }, signal })) as Portal,
  });
  const onSaved = (saved: Portal): void => {
    cache.setQueryData(key, saved);
    void cache.invalidateQueries({ queryKey: portalsKey(team.id) });
  };
  return <QueryView query={portal}>{(found) => <Editor key={found.id} portal={found} onSaved={onSaved} />}</QueryView>;
}

function Editor({ portal, onSaved }: { readonly portal: Portal; readonly onSaved: (portal: Portal) => void }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const { query } = useAddress();
  const tab = tabs.find((one) => one === query.get('tab')) ?? 'settings';
  const shown: Readonly<Record<Tab, () => ReactNode>> = {
    settings: () => <PageTab portal={portal} onSaved={onSaved} />,
    form: () => <FormTab portal={portal} />,
    answers: () => <AnswersTab portal={portal} />,
  };
  const here = `/t/${team.id}/portals/${portal.id}`;
  return (
    <div className="view">
      <PageHeader title={portal.name} back={{ href: `/t/${team.id}/portals`, label: messages.back }}>
        <a className="button" href={pageOf(portal.subdomain)} target="_blank" rel="noreferrer">
          {messages.open}
        </a>
      </PageHeader>
      <Tabs label={messages.tabs.label}>
        {tabs.map((one) => (
          <a
            key={one}
            className="tab"
            href={one === 'settings' ? here : `${here}?tab=${one}`}
            aria-current={one === tab ? 'page' : undefined}
          >
            {messages.tabs[one]}
          </a>
        ))}
      </Tabs>
      <Suspense fallback={<LoadingState />}>{shown[tab]()}</Suspense>
    </div>
  );
}
