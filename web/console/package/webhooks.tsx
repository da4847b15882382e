import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Package } from '#protocol/hosted/packages.ts';
import type { PackageDelivery } from '#protocol/hosted/webhooks.ts';
import { RetryIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useFallbackInterval } from '../app/live.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';

const calls = defineCalls({
  listPackageDeliveries: { method: 'GET', path: '/v1/teams/{team_id}/packages/{package_id}/webhook_deliveries', reply: { status: 200 } },
  replayWebhookDelivery: {
    method: 'POST',
    path: '/v1/custom_webhooks/{custom_webhook_id}/deliveries/{delivery_id}/replay',
    reply: { status: 202 },
  },
});

/** Milliseconds between two looks, where the service does not tell. */
const interval = 10_000;
const tones = { delivered: 'pill-good', failed: 'pill-warn', gave_up: 'pill-bad' } as const;

/** What webhooks were told of a package; nothing where none was. */
export function Webhooks({ one }: { readonly one: Package }) {
  const { messages } = useTexts({ en, de });
  const text = messages.webhooks;
  const team = useTeam();
  const api = useApi(calls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const key = ['team', team.id, 'package', one.id, 'deliveries'];
  const deliveries = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.call('listPackageDeliveries', { params: { team_id: team.id, package_id: one.id }, signal }),
    refetchInterval: useFallbackInterval(interval),
  });
  const replay = async ({ id, webhook }: PackageDelivery): Promise<void> => {
    try {
      await api.call('replayWebhookDelivery', { params: { custom_webhook_id: webhook.id, delivery_id: id } });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.webhooks.replayed) });
    } catch (error) {
      toast({ tone: 'bad', text: fault(error) });
    }
    await cache.invalidateQueries({ queryKey: key });
  };
  if (!deliveries.data || deliveries.data.length === 0) return null;
  return (
    <section className="panel">
      <h2>{text.title}</h2>
      <ul className="package-list" aria-label={text.title}>
        {deliveries.data.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} onReplay={() => void replay(delivery)} />
        ))}
      </ul>
    </section>
  );
}

function Row({ delivery, onReplay }: { readonly delivery: PackageDelivery; readonly onReplay: () => void }) {
  const { messages, number, moment } = useTexts({ en, de });
  const text = messages.webhooks;
  const team = useTeam();
  const translate = useSentences();
  const { webhook, state, status, error, attempt, created_at: at } = delivery;
  const facts = [
    text.event[delivery.event_type] ?? delivery.event_type,
    moment(at),
    text.attempt(number(attempt)),
    status === 0 ? '' : text.answered(String(status)),
  ];
  return (
    <li className="link-row">
      <div className="link-words">
        <p className="link-who">
          <a href={`/t/${team.id}/integrations/webhooks/${webhook.id}`}>
            <bdi>{webhook.name || webhook.host}</bdi>
          </a>{' '}
          <span className={`pill ${tones[state]}`}>{text.state[state]}</span>
        </p>
        <p className="hint">{facts.filter(Boolean).join(' · ')}</p>
        {error === '' ? null : <p className="hint">{translate(error)}</p>}
      </div>
      {webhook.active && delivery.replayable ? (
        <button type="button" className="button button-small" aria-label={text.replayTo(webhook.name || webhook.host)} onClick={onReplay}>
          <RetryIcon /> {text.replay}
        </button>
      ) : null}
    </li>
  );
}
