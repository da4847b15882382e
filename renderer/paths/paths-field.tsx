import { useId, useState } from 'react';
import { CloseIcon, FileIcon, FolderIcon } from '#ui/icons.tsx';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { FolderBrowser } from './folder-browser.tsx';
import { baseName, withPaths } from './path-text.ts';

interface PathsFieldProps {
  readonly paths: readonly string[];
  readonly onPaths: (paths: readonly string[]) => void;
  /** A typed path that is not added yet. */
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly error: string | null;
}

/** Files and folders to send: chosen by the system's dialog, in our folder browser, dropped, or typed. */
export function PathsField({ paths, onPaths, typed, onTyped, error }: PathsFieldProps) {
  const { messages } = useLocale();
  const { paths: own } = messages.send;
  const id = useId();
  const bridge = desktopBridge();
  const [browsing, setBrowsing] = useState(false);
  const add = (added: readonly string[]) => onPaths(withPaths(paths, added));
  const addTyped = () => {
    add([typed]);
    onTyped('');
  };
  return (
    <fieldset className="field paths-field">
      <legend>{own.label}</legend>
      {paths.length > 0 ? (
        <ul className="paths-list" aria-label={own.chosen}>
          {paths.map((path) => (
            <li key={path}>
              <FileIcon />
              <span className="paths-path" title={path}>
                <span className="paths-name" dir="auto">
                  {baseName(path)}
                </span>
                <span className="hint mono">{path}</span>
              </span>
              <button
                type="button"
                className="button button-quiet button-icon"
                onClick={() => onPaths(paths.filter((one) => one !== path))}
                aria-label={own.remove(path)}
              >
                <CloseIcon />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
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
            <p className="hint">{own.drop}</p>
          </>
        ) : (
          <button type="button" className="button" onClick={() => setBrowsing(true)}>
            <FolderIcon /> {own.browse}
          </button>
        )}
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
        {error ? <p className="field-error">{error}</p> : null}
        <p className="hint">{own.typeHint}</p>
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
