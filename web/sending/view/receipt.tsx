import { useEffect, useRef } from 'react';
import type { PortalCover } from '#protocol/hosted/portals.ts';
import { CheckIcon } from '#ui/icons.tsx';
import { type Format, useFormat } from '../../messages/portal.ts';
import { fullPath, type Item } from '../item.ts';
import type { StoredPackage } from '../store.ts';
import { PortalHead } from './portal-head.tsx';

interface ReceiptProps {
  readonly stored: StoredPackage;
  readonly items: readonly Item[];
  readonly at: Date;
  readonly portal: Pick<PortalCover, 'name' | 'message'> | null;
  readonly onMore: () => void;
}

/** The receipt of a sent package. */
export function Receipt({ stored, items, at, portal, onMore }: ReceiptProps) {
  const format = useFormat();
  const { messages, files, size, moment } = format;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const sent = items.filter(({ state, kind }) => state === 'sent' && kind === 'file');
  const skipped = items.filter(({ state }) => state === 'left_out').length;
  const bytes = sent.reduce((sum, item) => sum + item.size, 0);
  const facts: readonly (readonly [string, string])[] = [
    [messages.receipt.name, stored.name],
    [messages.receipt.to, portal?.name ?? ''],
    [messages.receipt.sender, stored.sender],
    [messages.receipt.contents, messages.list.sum(files(sent.length), size(bytes))],
    [messages.receipt.at, moment(at)],
    [messages.receipt.reference, stored.id],
  ].filter((fact): fact is [string, string] => fact[1] !== '');
  const save = (): void => {
    const address = URL.createObjectURL(new Blob([receiptText(facts, sent, format)], { type: 'text/plain;charset=utf-8' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `${stored.name.replace(/[^\p{L}\p{N} ._-]/gu, '_').slice(0, 80)}.txt`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return (
    <section className="card sending-card receipt" aria-labelledby="receipt-title">
      {portal ? <PortalHead cover={portal} aside /> : null}
      <header>
        <span className="receipt-mark">
          <CheckIcon />
        </span>
        <h1 id="receipt-title" ref={heading} tabIndex={-1}>
          {messages.receipt.title}
        </h1>
        <p>{messages.receipt.text}</p>
      </header>
      <dl className="receipt-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {skipped > 0 ? <p className="notice notice-warn">{messages.receipt.skipped(files(skipped))}</p> : null}
      <div className="note-buttons">
        <button type="button" className="button button-primary" onClick={save}>
          {messages.receipt.save}
        </button>
        <button type="button" className="button" onClick={() => window.print()}>
          {messages.receipt.print}
        </button>
        <button type="button" className="button" onClick={onMore}>
          {messages.receipt.more}
        </button>
      </div>
    </section>
  );
}

/** The receipt as a text file: the facts, then every file with its size and digest. */
function receiptText(facts: readonly (readonly [string, string])[], sent: readonly Item[], { messages }: Pick<Format, 'messages'>): string {
  const table = [
    [messages.receipt.size, messages.receipt.digest, messages.receipt.file].join('\t'),
    ...sent.map((item) => [item.size, item.facts.state === 'finalized' ? item.facts.digest : '', fullPath(item)].join('\t')),
  ];
  return [messages.receipt.title, '', ...facts.map(([label, value]) => `${label}: ${value}`), '', messages.receipt.list, ...table, ''].join(
    '\n',
  );
}
