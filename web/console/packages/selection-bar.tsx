import { useState } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import { de } from '../../messages/de/console/packages.ts';
import { en } from '../../messages/en/console/packages.ts';
import { useTexts } from '../app/texts.ts';
import { BulkDialog, type BulkKind } from './bulk-dialog.tsx';
import type { Shown } from './list-query.ts';

const kinds: Readonly<Record<Shown, readonly BulkKind[]>> = {
  all: ['extend', 'tag', 'remove'],
  sent: ['extend', 'tag', 'remove'],
  received: ['extend', 'tag', 'remove'],
  expired: ['archive'],
  archived: ['unarchive'],
};

interface SelectionBarProps {
  readonly shown: Shown;
  readonly chosen: readonly Package[];
  readonly onAll: () => void;
  readonly onNone: () => void;
}

/** What can be done with the selected packages. It lies over the list, so that nothing moves. */
export function SelectionBar({ shown, chosen, onAll, onNone }: SelectionBarProps) {
  const { messages, number } = useTexts({ en, de });
  const [open, setOpen] = useState<BulkKind | null>(null);
  return (
    <section className="packages-selection" aria-label={messages.selected(number(chosen.length), chosen.length === 1)}>
      <p role="status">{messages.selected(number(chosen.length), chosen.length === 1)}</p>
      <div className="packages-selection-acts">
        {kinds[shown].map((kind) => (
          <button
            key={kind}
            type="button"
            className={kind === 'remove' ? 'button button-small button-danger' : 'button button-small'}
            onClick={() => setOpen(kind)}
          >
            {messages.act[kind]}
          </button>
        ))}
        <button type="button" className="button button-small button-quiet" onClick={onAll}>
          {messages.selectAll}
        </button>
        <button type="button" className="button button-small button-quiet" onClick={onNone}>
          {messages.selectNone}
        </button>
      </div>
      {open ? (
        <BulkDialog
          kind={open}
          chosen={chosen}
          onClose={(changed) => {
            setOpen(null);
            if (changed) onNone();
          }}
        />
      ) : null}
    </section>
  );
}
