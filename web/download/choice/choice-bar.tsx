import type { File } from '#protocol/hosted/files.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { useFormat } from '../../messages/download.ts';

interface ChoiceBarProps {
  /** The chosen files and empty folders. */
  readonly chosen: readonly File[];
  /** Whether an address is being asked for. */
  readonly busy: boolean;
  readonly onDownload: () => void;
  readonly onClear: () => void;
}

/** What is chosen in the tree, and what can be done with it. */
export function ChoiceBar({ chosen, busy, onDownload, onClear }: ChoiceBarProps) {
  const { messages, files, size } = useFormat();
  const count = chosen.filter(({ kind }) => kind === 'file').length;
  const bytes = chosen.reduce((sum, one) => sum + (one.size ?? 0), 0);
  return (
    <div className="choice-bar">
      <p className="figure" role="status">
        {messages.choice.chosen(files(count), size(bytes))}
      </p>
      <span className="choice-buttons">
        <button type="button" className="button button-primary" disabled={busy} onClick={onDownload}>
          <DownloadIcon /> {chosen.length === 1 && count === 1 ? messages.get.download : messages.choice.zip}
        </button>
        <button type="button" className="button" onClick={onClear}>
          {messages.choice.clear}
        </button>
      </span>
    </div>
  );
}
