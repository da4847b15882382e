import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ListedWebhook, WebhookDelivery } from '#protocol/hosted/webhooks.ts';
import { RetryIcon, SendIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useFallbackInterval } from '../app/live.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { webhookCalls, webhooksKey } from './webhook-calls.ts';
import { type WebhookEventName, webhookEventNames } from './webhook-events.ts';

/** Milliseconds between two looks: quick while an outcome is awaited that was asked for here. */
const interval = { awaited: 1_000, usual: 15_000 } as const;

const tones = { delivered: 'pill-good', failed: 'pill-warn', gave_up: 'pill-bad' } as const;

/** An attempt that was asked for, and is not in the list yet. */
type Awaited = Pick<WebhookDelivery, 'event_id' | 'attempt'>;

/** The last attempts at delivery, a test, and sending one again. */
export function WebhookDeliveries({ webhook }: { readonly webhook: ListedWebhook }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(webhookCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const [awaited, setAwaited] = useState<Awaited | null>(null);
  const [event, setEvent] = useState<WebhookEventName>(webhook.events[0] ?? 'package.finalized');
  const key = [...webhooksKey(team.id), webhook.id, 'deliveries'];
  const isThere = (found: readonly WebhookDelivery[], { event_id, attempt }: Awaited): boolean =>
    found.some((one) => one.event_id === event_id && one.attempt === attempt);
  const usual = useFallbackInterval(interval.usual);
  const deliveries = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.call('listWebhookDeliveries', { params: { custom_webhook_id: webhook.id }, signal }),
    refetchInterval: ({ state }) => (awaited && !isThere(state.data ?? [], awaited) ? interval.awaited : usual),
  });
  const ask = async (work: Promise<Awaited>, text: ReactElement): Promise<void> => {
    try {
      setAwaited(await work);
      toast({ text });
    } catch (error) {
      toast({ tone: 'bad', text: fault(error) });
    }
    await cache.invalidateQueries({ queryKey: key });
  };
  const test = () =>
    void ask(
      api.call('testWebhook', { params: { custom_webhook_id: webhook.id }, body: { event_type: event } }),
      textIn({ en, de }, ({ messages }) => messages.tested),
    );
  const replay = ({ id }: WebhookDelivery) =>
    void ask(
      api.call('replayWebhookDelivery', { params: { custom_webhook_id: webhook.id, delivery_id: id } }),
      textIn({ en, de }, ({ messages }) => messages.replayed),
    );
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>{messages.deliveries}</h2>
        <div className="list-filters">
          <select
            className="input"
            aria-label={messages.testEvent}
            value={event}
            onChange={(changed) => setEvent(changed.target.value as WebhookEventName)}
          >
            {webhookEventNames.map((one) => (
              <option key={one} value={one}>
                {messages.eventTexts[one]}
              </option>
            ))}
          </select>
          <button type="button" className="button" onClick={test}>
            <SendIcon /> {messages.test}
          </button>
        </div>
      </div>
      <QueryView query={deliveries}>
        {(found) =>
          found.length === 0 ? (
            <ViewState icon={<SendIcon />} title={messages.noDeliveries} text={messages.noDeliveriesText} />
          ) : (
            <ul className="plain-rows" aria-label={messages.deliveries}>
              {found.map((one) => (
                <Row key={one.id} delivery={one} mayReplay={webhook.active && one.replayable} onReplay={() => replay(one)} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </section>
  );
}

interface RowProps {
  readonly delivery: WebhookDelivery;
  readonly mayReplay: boolean;
  readonly onReplay: () => void;
}

function Row({ delivery, mayReplay, onReplay }: RowProps) {
  const { messages, number, moment, exactly } = useTexts({ en, de });
  const translate = useSentences();
  const { event_type: type, status, error, milliseconds, created_at: at } = delivery;
  return (
    <li className="row delivery-row">
      <div className="row-main">
        <span className="row-name">{messages.eventTexts[type]}</span>
        <span className="row-facts">
          <span title={exactly(at)}>{moment(at)}</span>
          <span>{messages.attempt(number(delivery.attempt))}</span>
          {status === 0 ? null : <span>{messages.answered(String(status))}</span>}
          <span>{messages.took(number(milliseconds))}</span>
        </span>
        {error === '' ? null : <span className="row-facts">{translate(error)}</span>}
      </div>
      <div className="row-acts">
        {delivery.test ? <span className="pill">{messages.isTest}</span> : null}
        <span className={`pill ${tones[delivery.state]}`}>{messages.outcomes[delivery.state]}</span>
        {mayReplay ? (
          <button
            type="button"
            className="button button-quiet button-icon"
            aria-label={messages.replay}
            title={messages.replay}
            onClick={onReplay}
          >
            <RetryIcon />
          </button>
        ) : null}
      </div>
    </li>
  );
}
