import { useQueryClient } from '@tanstack/react-query';
import type { Package } from '#protocol/hosted/packages.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useSentences } from '../ui/use-sentences.ts';
import type { PackageParts } from './queries.ts';

const calls = defineCalls({
  retryTransfer: { method: 'PUT', path: '/v1/transfers/{transfer_id}/retry', reply: { status: 204 } },
  cancelTransfer: { method: 'PUT', path: '/v1/transfers/{transfer_id}/cancel', reply: { status: 204 } },
});

/** Transfers of a package with connected storage; nothing where there are none. */
export function Transfers({ one, parts: { transfers } }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages } = useTexts({ en, de });
  if (!transfers.data || transfers.data.length === 0) return null;
  return (
    <section className="panel">
      <h2>{messages.transfers.title}</h2>
      <ul className="package-list">
        {transfers.data.map((transfer) => (
          <Row key={transfer.id} packageId={one.id} transfer={transfer} />
        ))}
      </ul>
    </section>
  );
}

function Row({ packageId, transfer }: { readonly packageId: string; readonly transfer: CloudTransfer }) {
  const { messages, size, moment } = useTexts({ en, de });
  const text = messages.transfers;
  const api = useApi(calls);
  const cache = useQueryClient();
  const team = useTeam();
  const toast = useToast();
  const fault = useFaultText();
  const translate = useSentences();
  const { state, progress } = transfer;
  const why = transfer.error || transfer.state_message;
  const act = async (name: 'retryTransfer' | 'cancelTransfer'): Promise<void> => {
    try {
      await api.call(name, { params: { transfer_id: transfer.id }, credential: { kind: 'transfer', token: transfer.access_token } });
      await cache.invalidateQueries({ queryKey: ['team', team.id, 'package', packageId, 'transfers'] });
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    }
  };
  const way = text.way[transfer.direction](transfer.cloud_connection_name);
  return (
    <li className="link-row">
      <div className="link-words">
        <p className="link-who">{way}</p>
        <p className="hint">
          {text.state[state]} · {size(progress.bytes)} / {size(progress.total_bytes)} · {moment(transfer.updated_at)}
        </p>
        {state === 'started' ? (
          <ProgressBar
            tone="moving"
            label={way}
            share={progress.total_bytes > 0 ? Math.min(1, progress.bytes / progress.total_bytes) : 0}
          />
        ) : null}
        {why === '' ? null : <p className="hint">{translate(why)}</p>}
      </div>
      {state === 'error' || state === 'cancelled' ? (
        <button type="button" className="button button-small" onClick={() => void act('retryTransfer')}>
          {text.retry}
        </button>
      ) : state === 'pending' || state === 'started' ? (
        <button type="button" className="button button-small" onClick={() => void act('cancelTransfer')}>
          {text.cancel}
        </button>
      ) : null}
    </li>
  );
}
