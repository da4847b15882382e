import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedWebhook } from '#protocol/hosted/webhooks.ts';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import type { ViewProps } from '../app/view-props.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { useWebhooks, webhookCalls, webhooksKey } from './webhook-calls.ts';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import '../ui/rows.css';
import './integrations.css';

/** One webhook: what it hears of, and what became of it. */
export default function Webhook({ params }: ViewProps) {
  const { messages } = useShellTexts();
  const webhooks = useWebhooks();
  return (
    <QueryView query={webhooks}>
      {(found) => {
        const webhook = found.find(({ id }) => id === params['webhook_id']);
        return webhook ? <Shown webhook={webhook} /> : <ViewState title={messages.states.gone} text={messages.states.goneText} />;
      }}
    </QueryView>
  );
}

function Shown({ webhook }: { readonly webhook: ListedWebhook }) {
  const { messages, number } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(webhookCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [open, setOpen] = useState<'edit' | 'remove' | 'renew' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  const name = webhook.name || webhook.url;
  const remove = async () => {
    await api.call('deleteWebhook', { params: { custom_webhook_id: webhook.id } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.removed(name)) });
    goTo(`/t/${team.id}/integrations`);
    await cache.invalidateQueries({ queryKey: webhooksKey(team.id), exact: true });
  };
  const renew = async () => setSecret((await api.call('renewWebhookSecret', { params: { custom_webhook_id: webhook.id } })).secret);
  return (
    <div className="view">
      <PageHeader title={name} text={webhook.url} back={{ href: `/t/${team.id}/integrations`, label: messages.back }}>
        <button type="button" className="button" onClick={() => setOpen('edit')}>
          {messages.webhookEdit}
        </button>
        <MenuButton label={shell.moreFor(name)} className="button button-icon">
          <MenuItem label={messages.renew} onChoose={() => setOpen('renew')} />
          <MenuItem label={messages.remove} onChoose={() => setOpen('remove')} />
        </MenuButton>
      </PageHeader>
      <section className="panel">
        <div className="panel-head">
          <h2>{messages.facts}</h2>
          <span className={`pill ${webhook.active ? 'pill-good' : ''}`}>{webhook.active ? messages.on : messages.off}</span>
        </div>
        <dl className="facts">
          <dt>{messages.events}</dt>
          <dd>{webhook.events.map((event) => messages.eventTexts[event]).join(', ')}</dd>
          <dt>{messages.scope}</dt>
          <dd>
            {messages.scopes[webhook.scope]}
            {webhook.scope === 'portals' ? ` (${messages.portals(number(webhook.connections), webhook.connections === 1)})` : null}
          </dd>
          <dt>{messages.method2}</dt>
          <dd>{webhook.method}</dd>
        </dl>
      </section>
      <WebhookDeliveries webhook={webhook} />
      {open === 'edit' ? <WebhookDialog webhook={webhook} onSecret={setSecret} onClose={close} /> : null}
      {open === 'renew' ? (
        <ConfirmDialog title={messages.renewTitle} submit={messages.renew} onSubmit={renew} onClose={close}>
          <p>{messages.renewText}</p>
        </ConfirmDialog>
      ) : null}
      {open === 'remove' ? (
        <ConfirmDialog title={messages.removeTitle(name)} submit={messages.remove} onSubmit={remove} onClose={close}>
          <p>{messages.webhookRemoveText}</p>
        </ConfirmDialog>
      ) : null}
      {secret !== null ? <WebhookSecret secret={secret} onClose={() => setSecret(null)} /> : null}
    </div>
  );
}
