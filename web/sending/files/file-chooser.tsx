import { type DragEvent, useRef, useState } from 'react';
import { useFormat } from '../../messages/portal.ts';
import { useSendingEnvironment } from '../view/environment.ts';
import { fromDrop, fromInput, type ReadEntries } from './read-entries.ts';

interface FileChooserProps {
  /** Whether files were chosen already, so that the drop area may be small. */
  readonly small: boolean;
  readonly labels: { readonly files: string; readonly folder: string };
  readonly onEntries: (gathered: ReadEntries) => void;
  readonly invalid?: string | null;
}

/** The area where files and folders are dropped or chosen. */
export function FileChooser({ small, labels, onEntries, invalid }: FileChooserProps) {
  const { pickers } = useSendingEnvironment();
  const { messages } = useFormat();
  const [over, setOver] = useState(false);
  const [reading, setReading] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  /** The event for entering a child fires before the event for leaving its parent, so the depth is counted. */
  const depth = useRef(0);

  const take = async (work: Promise<ReadEntries | null>): Promise<void> => {
    setReading(true);
    try {
      const gathered = await work;
      if (gathered) onEntries(gathered);
    } catch (error) {
      onEntries({ entries: [], unreadable: [error instanceof Error ? error.message : String(error)] });
    } finally {
      setReading(false);
    }
  };
  const pick = (kind: 'files' | 'folder'): void => {
    if (pickers) void take(pickers[kind]());
    else (kind === 'files' ? files : folder).current?.click();
  };
  const enter = (step: number, event: DragEvent): void => {
    event.preventDefault();
    depth.current += step;
    setOver(depth.current > 0);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    void take(fromDrop(event.dataTransfer));
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse; the buttons inside do the same for everybody
    <div
      className={['drop', small ? 'drop-small' : '', over ? 'drop-over' : ''].filter(Boolean).join(' ')}
      onDragEnter={(event) => enter(1, event)}
      onDragLeave={(event) => enter(-1, event)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <p className="drop-words">{reading ? messages.choose.reading : over ? messages.choose.dropNow : messages.choose.drop}</p>
      <div className="drop-buttons">
        <button
          type="button"
          className="button"
          disabled={reading}
          aria-describedby={invalid ? 'choose-problem' : undefined}
          aria-invalid={invalid ? true : undefined}
          onClick={() => pick('files')}
        >
          {labels.files}
        </button>
        <button type="button" className="button" disabled={reading} onClick={() => pick('folder')}>
          {labels.folder}
        </button>
      </div>
      {invalid ? (
        <p className="field-error" id="choose-problem">
          {invalid}
        </p>
      ) : null}
      {[files, folder].map((input) => (
        <input
          key={input === files ? 'files' : 'folder'}
          ref={input}
          type="file"
          multiple
          hidden
          data-kind={input === files ? 'files' : 'folder'}
          {...(input === folder ? { webkitdirectory: '' } : {})}
          onChange={(event) => {
            const chosen = [...(event.target.files ?? [])];
            event.target.value = '';
            if (chosen.length > 0) void take(Promise.resolve(fromInput(chosen)));
          }}
        />
      ))}
    </div>
  );
}
