import { useState } from 'react';
import { LinkIcon, PlusIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { useWebhooks } from './webhook-calls.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

/** The addresses that are told what happens to packages. */
export function Webhooks() {
  const { messages, number } = useTexts({ en, de });
  const team = useTeam();
  const webhooks = useWebhooks();
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section className="panel" aria-labelledby="webhooks">
      <div className="panel-head">
        <h2 id="webhooks">{messages.webhooks}</h2>
        <button type="button" className="button" onClick={() => setOpen(true)}>
          <PlusIcon /> {messages.newWebhook}
        </button>
      </div>
      <QueryView query={webhooks}>
        {(found) =>
          found.length === 0 ? (
            <ViewState icon={<LinkIcon />} title={messages.noWebhooks} text={messages.noWebhooksText} />
          ) : (
            <ul className="plain-rows">
              {found.map((one) => (
                <li key={one.id} className="row">
                  <div className="row-main">
                    <a className="row-name" dir="auto" href={`/t/${team.id}/integrations/webhooks/${one.id}`}>
                      {one.name || one.url}
                    </a>
                    <span className="row-facts">
                      {one.name === '' ? null : <span className="mono">{one.url}</span>}
                      <span>
                        {one.scope === 'team' ? messages.scopes.team : messages.portals(number(one.connections), one.connections === 1)}
                      </span>
                    </span>
                  </div>
                  <span className={`pill ${one.active ? 'pill-good' : ''}`}>{one.active ? messages.on : messages.off}</span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      {open ? <WebhookDialog webhook={null} onSecret={setSecret} onClose={() => setOpen(false)} /> : null}
      {secret !== null ? <WebhookSecret secret={secret} onClose={() => setSecret(null)} /> : null}
    </section>
  );
}
