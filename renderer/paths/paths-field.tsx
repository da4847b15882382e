import { useId, useRef, useState } from 'react';
import type { PathsMeasure } from '#protocol/agent/paths.ts';
import { CloseIcon, FileIcon, FolderIcon, WarnIcon } from '#ui/icons.tsx';
import { useApp } from '../app/context.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { type Format, useFormat } from '../messages/format.ts';
import { Localized } from '../messages/localized.tsx';
import { asSentence, errorText } from '../messages/localized-text.ts';
import { formatDuration } from '../transfers/describe-transfer.ts';
import { chosenInBrowser } from './dropped.ts';
import { CopiesList } from './drops/copies-list.tsx';
import { deleteDrops } from './drops/delete-drops.ts';
import { FolderBrowser } from './folder-browser.tsx';
import { baseName, dropIdOf, looksLikeFolder, withPaths } from './path-text.ts';
import type { DroppedPaths } from './use-dropped-paths.ts';
import { useMeasure } from './use-measure.ts';

interface PathsFieldProps {
  readonly paths: readonly string[];
  readonly onPaths: (paths: readonly string[]) => void;
  /** A typed path that is not added yet. */
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly error: string | null;
  /** What was dropped, or chosen in the browser's own dialog. */
  readonly dropped: DroppedPaths;
}

/** Files and folders to send: chosen by the system's dialog, in our folder browser, dropped, or typed. */
export function PathsField({ paths, onPaths, typed, onTyped, error, dropped }: PathsFieldProps) {
  const format = useFormat();
  const { paths: own } = format.messages.send;
  const { client } = useApp();
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const bridge = desktopBridge();
  const [browsing, setBrowsing] = useState(false);
  const { measure, counting } = useMeasure(paths);
  const add = (added: readonly string[]) => onPaths(withPaths(paths, added));
  const addTyped = () => {
    add([typed]);
    onTyped('');
  };
  const remove = (path: string) => {
    const left = paths.filter((one) => one !== path);
    onPaths(left);
    deleteDrops(client, [path], left);
  };
  return (
    <fieldset className="field paths-field">
      <legend>{own.label}</legend>
      {paths.length > 0 ? (
        <>
          <ul className="paths-list" aria-label={own.chosen}>
            {paths.map((path) => (
              <ChosenPath
                key={path}
                path={path}
                found={measure?.paths.find((one) => one.path === path) ?? null}
                onRemove={() => remove(path)}
              />
            ))}
          </ul>
          <p className="paths-total" role="status" aria-busy={counting}>
            {measure === null ? (counting ? own.counting : '') : totalText(measure, format)}
          </p>
        </>
      ) : null}
      {dropped.copies.length > 0 ? <CopiesList copies={dropped.copies} /> : null}
      <div className="paths-buttons">
        {bridge ? (
          <>
            <button type="button" className="button" onClick={async () => add(await bridge.pickPaths())}>
              <FileIcon /> {own.pick}
            </button>
            <button
              type="button"
              className="button"
              onClick={async () => {
                const folder = await bridge.pickFolder();
                if (folder) add([folder]);
              }}
            >
              <FolderIcon /> {own.pickFolder}
            </button>
          </>
        ) : (
          <>
            <button type="button" className="button" onClick={() => setBrowsing(true)}>
              <FolderIcon /> {own.browse}
            </button>
            <button type="button" className="button" onClick={() => picker.current?.click()}>
              <FileIcon /> {own.fromBrowser}
            </button>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              onChange={({ currentTarget }) => {
                if (currentTarget.files) dropped.take(chosenInBrowser(currentTarget.files));
                // The same file may be chosen again.
                currentTarget.value = '';
              }}
            />
          </>
        )}
        <p className="hint">{dropped.looking ? own.looking : own.drop}</p>
      </div>
      <div className="paths-type">
        <label htmlFor={id}>{own.type}</label>
        <input
          id={id}
          className="input mono"
          spellCheck={false}
          autoComplete="off"
          placeholder="/media/A001"
          value={typed}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-notes`}
          onChange={(event) => onTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || typed.trim() === '') return;
            event.preventDefault();
            addTyped();
          }}
        />
        <button type="button" className="button" disabled={typed.trim() === ''} onClick={addTyped}>
          {own.add}
        </button>
      </div>
      <div id={`${id}-notes`}>
        {error ? (
          <p className="field-error" role="alert">
            {error}
          </p>
        ) : null}
        {paths.length === 0 ? <p className="hint">{own.typeHint}</p> : null}
      </div>
      {browsing ? (
        <FolderBrowser
          choosing="entries"
          from=""
          onClose={() => setBrowsing(false)}
          onChoose={(chosen) => {
            add(chosen);
            setBrowsing(false);
          }}
        />
      ) : null}
    </fieldset>
  );
}

interface ChosenPathProps {
  readonly path: string;
  /** Null until the agent has looked. */
  readonly found: PathsMeasure['paths'][number] | null;
  readonly onRemove: () => void;
}

function ChosenPath({ path, found, onRemove }: ChosenPathProps) {
  const { messages, files, size } = useFormat();
  const { paths: own } = messages.send;
  const folder = found ? found.kind === 'directory' : looksLikeFolder(path);
  const fault = found?.error ?? null;
  return (
    <li className={fault ? 'paths-bad' : undefined}>
      {fault ? <WarnIcon /> : folder ? <FolderIcon /> : <FileIcon />}
      <span className="paths-path" title={dropIdOf(path) ? baseName(path) : path}>
        <span className="paths-name" dir="auto">
          {baseName(path)}
        </span>
        {fault ? (
          <span className="field-error">
            <Localized text={asSentence(errorText(fault, messages))} />
          </span>
        ) : (
          <span className={dropIdOf(path) ? 'hint' : 'hint mono'}>{dropIdOf(path) ? own.sentByBrowser : path}</span>
        )}
      </span>
      {found && !fault ? (
        <span className="paths-size hint figure">
          {found.kind === 'directory' ? `${files(found.files)}, ` : ''}
          {size(found.bytes)}
        </span>
      ) : null}
      <button
        type="button"
        className="button button-quiet button-icon"
        onClick={onRemove}
        aria-label={own.remove(dropIdOf(path) ? baseName(path) : path)}
      >
        <CloseIcon />
      </button>
    </li>
  );
}

/** `86 files, 118 GB · about 14 min at the speed of late`; empty where nothing was found. */
function totalText({ files, bytes, complete, seconds, unreadable }: PathsMeasure, format: Format): string {
  const { paths: own } = format.messages.send;
  const parts: string[] = [];
  if (files > 0 || !complete) {
    const whole = own.total(format.files(files), format.size(bytes));
    parts.push(complete ? whole : own.atLeast(whole));
  }
  if (seconds !== null && bytes > 0 && complete) parts.push(own.time(formatDuration(format, Math.max(1, seconds))));
  if (unreadable > 0) parts.push(own.unreadable(format.number(unreadable), unreadable === 1));
  return parts.join(' · ');
}
