import { useState } from 'react';
import { PlugIcon, PlusIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import { LoadingState, QueryView, ViewState } from '../ui/view-states.tsx';
import { useConnections, useGateways } from './calls.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import { providerOf } from './connection-draft.ts';
import { Gateways } from './gateways.tsx';
import { StatePill } from './state-pill.tsx';
import { useProviderLabel } from './use-provider-label.ts';
import { useWebhooks } from './webhook-calls.ts';
import { Webhooks } from './webhooks.tsx';
import '../ui/rows.css';
import './integrations.css';

/** What a Team connects to: storage, the gateways that reach it, and addresses that are told what happens. */
export default function Integrations() {
  const { messages } = useTexts({ en, de });
  // Together, since each that came later would push down what is below it. One that fails holds up none.
  const isComing = [useConnections(), useGateways(), useWebhooks()].some((query) => !query.isFetched && query.failureCount === 0);
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text} />
      {isComing ? (
        <LoadingState />
      ) : (
        <>
          <Connections />
          <Gateways />
          <Webhooks />
        </>
      )}
    </div>
  );
}

function Connections() {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const connections = useConnections();
  const translate = useSentences();
  const labelOf = useProviderLabel();
  const [open, setOpen] = useState(false);
  return (
    <section className="panel" aria-labelledby="connections">
      <div className="panel-head">
        <h2 id="connections">{messages.connections}</h2>
        <button type="button" className="button button-primary" onClick={() => setOpen(true)}>
          <PlusIcon /> {messages.connect}
        </button>
      </div>
      <QueryView query={connections}>
        {(found) =>
          found.length === 0 ? (
            <ViewState icon={<PlugIcon />} title={messages.noConnections} text={messages.noConnectionsText} />
          ) : (
            <ul className="plain-rows">
              {found.map((one) => (
                <li key={one.id} className="row">
                  <div className="row-main">
                    <a className="row-name" dir="auto" href={`/t/${team.id}/integrations/connections/${one.id}`}>
                      {one.name}
                    </a>
                    <span className="row-facts">
                      <span>{labelOf(providerOf(one.provider).label)}</span>
                      <span>{messages.directions[one.direction]}</span>
                    </span>
                    {one.state_message === '' ? null : <span className="row-facts">{translate(one.state_message)}</span>}
                  </div>
                  <StatePill state={one.state} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      {open ? <ConnectionDialog connection={null} onClose={() => setOpen(false)} /> : null}
    </section>
  );
}
