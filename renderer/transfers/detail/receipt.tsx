import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import { FaultText, useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { useTransferActions } from '../actions/transfer-actions.tsx';
import { readReceiptHead } from './receipt-head.ts';

/** Shows the signed receipt and saves it as a file. */
export function Receipt({ transfer }: { transfer: AgentTransfer }) {
  const { client } = useApp();
  const { messages } = useFormat();
  const { receipt } = messages.transfers.detail;
  const actions = useTransferActions();
  const [open, setOpen] = useState(false);

  const save = async (): Promise<void> => {
    try {
      const address = URL.createObjectURL(await (await client.open('getTransferReceipt', { params: { id: transfer.id } })).blob());
      const link = document.createElement('a');
      link.href = address;
      link.download = `${transfer.name.replaceAll(/[\\/:*?"<>|]/g, '_')}.receipt`;
      link.click();
      // By then the browser has read it.
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (error) {
      actions.notify({ tone: 'bad', text: () => <FaultText error={error} /> });
    }
  };

  return (
    <section className="panel" aria-labelledby="receipt-heading">
      <h2 id="receipt-heading">{receipt.title}</h2>
      <p>{receipt.text}</p>
      <div className="panel-acts">
        <button type="button" className="button button-small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? receipt.hide : receipt.view}
        </button>
        <button type="button" className="button button-small" onClick={() => void save()}>
          {receipt.save}
        </button>
      </div>
      {open ? <ReceiptView id={transfer.id} /> : null}
    </section>
  );
}

function ReceiptView({ id }: { id: string }) {
  const { client } = useApp();
  const format = useFormat();
  const { receipt } = format.messages.transfers.detail;
  const fault = useFaultText();
  const { data, error } = useQuery({
    queryKey: ['receipt', id],
    queryFn: async ({ signal }) => readReceiptHead((await client.open('getTransferReceipt', { params: { id }, signal })).body!),
  });
  if (error) return <Notice tone="bad">{fault(error)}</Notice>;
  if (!data) return <p className="hint">{format.messages.app.loading}</p>;
  const { claims } = data;
  return (
    <>
      <dl className="facts">
        <dt>{receipt.package}</dt>
        <dd>{claims.package_name}</dd>
        <dt>{receipt.service}</dt>
        <dd>{claims.iss}</dd>
        <dt>{receipt.at}</dt>
        <dd>{format.dated(new Date(claims.iat * 1_000).toISOString())}</dd>
        <dt>{receipt.holds}</dt>
        <dd>
          {format.files(claims.files)}, {format.size(claims.bytes)}
        </dd>
        <dt>{receipt.manifest}</dt>
        <dd className="mono">{claims.manifest}</dd>
      </dl>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <ul className="receipt-files" aria-label={receipt.title} tabIndex={0}>
        {data.first.map((file) => (
          <li key={file.path}>
            <span className="path">{file.path}</span>
            <span className="figure">{format.size(file.size ?? 0)}</span>
            <span className="mono receipt-digest">{file.digest}</span>
          </li>
        ))}
      </ul>
      {claims.files > data.first.length ? <p className="hint">{receipt.first(format.number(data.first.length))}</p> : null}
      <p className="hint">{receipt.check}</p>
    </>
  );
}
