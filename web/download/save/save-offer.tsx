import type { ReactNode } from 'react';
import { FolderIcon } from '#ui/icons.tsx';
import { useFormat } from '../../messages/download.ts';

interface SaveOfferProps {
  /** Whether only a choice would be saved. */
  readonly ofChoice: boolean;
  /** Null until saving is loaded. */
  readonly onChoose: (() => void) | null;
  /** What is wrong, below it. */
  readonly children?: ReactNode;
}

/**
 * Offers to save into a folder. It stands there from the beginning, before saving is loaded: the files are below it, and a
 * row that moved away between the press and the release of a button would lose the click.
 */
export function SaveOffer({ ofChoice, onChoose, children }: SaveOfferProps) {
  const { messages } = useFormat();
  return (
    <div className="save-offer">
      <button type="button" className="button" aria-describedby="save-hint" disabled={!onChoose} onClick={onChoose ?? undefined}>
        <FolderIcon /> {ofChoice ? messages.save.chooseSome : messages.save.choose}
      </button>
      <p className="hint" id="save-hint">
        {messages.save.hint}
      </p>
      {children}
    </div>
  );
}
