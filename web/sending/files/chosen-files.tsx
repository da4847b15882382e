import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import { CloseIcon, FileIcon, FolderIcon } from '#ui/icons.tsx';
import { WindowedList } from '../../common/windowed-list.tsx';
import { useFormat } from '../../messages/portal.ts';
import { type Entry, pathOf } from './entry.ts';
import type { Judgement } from './rules.ts';

interface ChosenFilesProps {
  readonly entries: readonly Entry[];
  readonly judgement: Judgement;
  readonly restrictions: PortalRestrictions;
  readonly onRemove: (entries: ReadonlySet<Entry>) => void;
}

/** The files to send, with the problem of each file that cannot be sent. */
export function ChosenFiles({ entries, judgement, restrictions, onRemove }: ChosenFilesProps) {
  const { messages, files, size, number } = useFormat();
  const { faults, sum } = judgement;
  // Problems are listed first: among thousands of files nobody would find them.
  const rows = faults.size === 0 ? entries : [...faults.keys(), ...entries.filter((entry) => !faults.has(entry))];
  return (
    <div className="chosen">
      <div className="chosen-head">
        <p role="status">{messages.list.sum(files(judgement.files), size(judgement.bytes))}</p>
        <button type="button" className="button button-quiet button-small" onClick={() => onRemove(new Set(entries))}>
          {messages.list.clear}
        </button>
      </div>
      {faults.size > 0 ? (
        <div className="notice notice-bad" role="alert">
          <p>{messages.list.faulty(files(faults.size))}</p>
          <button type="button" className="button button-small" onClick={() => onRemove(new Set(faults.keys()))}>
            {messages.list.removeFaulty(files(faults.size))}
          </button>
        </div>
      ) : null}
      {sum === 'too_many' ? (
        <p className="notice notice-bad" role="alert">
          {messages.list.tooMany(files(restrictions.maxFileCount), number(judgement.files))}
        </p>
      ) : null}
      {sum === 'too_much' ? (
        <p className="notice notice-bad" role="alert">
          {messages.list.tooMuch(size(restrictions.maxPackageSize), size(judgement.bytes))}
        </p>
      ) : null}
      <WindowedList
        label={messages.list.label}
        count={rows.length}
        rowHeight={3.5}
        rowKey={(index) => pathOf(rows[index]!)}
        row={(index) => <Row entry={rows[index]!} fault={faults.get(rows[index]!) ?? null} onRemove={onRemove} />}
      />
    </div>
  );
}

interface RowProps {
  readonly entry: Entry;
  readonly fault: 'type' | 'too_large' | 'name' | 'clash' | null;
  readonly onRemove: (entries: ReadonlySet<Entry>) => void;
}

function Row({ entry, fault, onRemove }: RowProps) {
  const { messages, size } = useFormat();
  const about = entry.kind === 'directory' ? messages.list.emptyFolder : size(entry.size);
  return (
    <div className={fault ? 'sending-row sending-row-bad' : 'sending-row'}>
      {entry.kind === 'directory' ? <FolderIcon /> : <FileIcon />}
      <div className="sending-row-text">
        <p className="sending-row-name" title={pathOf(entry)}>
          <bdi>{entry.name}</bdi>
        </p>
        <p className={fault ? 'sending-row-note field-error' : 'sending-row-note hint'}>
          {fault ? (
            messages.list.faults[fault]
          ) : (
            <>
              <span className="figure">{about}</span>
              {entry.path ? <bdi>{entry.path}</bdi> : null}
            </>
          )}
        </p>
      </div>
      <button
        type="button"
        className="button button-quiet button-icon"
        aria-label={messages.list.remove(entry.name)}
        onClick={() => onRemove(new Set([entry]))}
      >
        <CloseIcon />
      </button>
    </div>
  );
}
