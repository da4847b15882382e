import { useId, useState } from 'react';
import { CloseIcon, FolderIcon, PlusIcon } from '#ui/icons.tsx';
import { useLocale } from '../messages/locale.ts';
import { FolderField } from '../paths/folder-field.tsx';
import { isAbsolute, withPaths } from '../paths/path-text.ts';
import type { SettingsPartProps } from './settings-part.ts';

/** The download folder, and the folders that callers from other machines may use. */
export function FolderSettings({ settings, onChange }: SettingsPartProps) {
  const { settings: messages, get } = useLocale().messages;
  const { folders: texts } = messages;
  const id = useId();
  const [download, setDownload] = useState<string | null>(null);
  const [added, setAdded] = useState<string | null>(null);
  const [addError, setAddError] = useState<string | null>(null);
  const { download_folder: now, allowed_roots: roots } = settings;
  const typed = download ?? now;
  return (
    <section className="card settings-part" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{texts.title}</h2>
      <FolderField
        label={texts.download}
        value={typed}
        onChange={setDownload}
        onSettle={(folder) => {
          if (!isAbsolute(folder)) return;
          setDownload(null);
          if (folder !== now) onChange({ download_folder: folder });
        }}
        hint={texts.downloadHint}
        error={isAbsolute(typed) ? null : get.folderPartial}
      />
      <fieldset className="field">
        <legend>{texts.allowed}</legend>
        <ul className="paths-list" aria-label={texts.allowed}>
          {roots.map((root) => (
            <li key={root}>
              <FolderIcon />
              <span className="paths-path mono">{root}</span>
              <button
                type="button"
                className="button button-quiet button-icon"
                disabled={roots.length === 1}
                title={roots.length === 1 ? texts.last : undefined}
                aria-label={texts.remove(root)}
                onClick={() => onChange({ allowed_roots: roots.filter((one) => one !== root) })}
              >
                <CloseIcon />
              </button>
            </li>
          ))}
        </ul>
        <p className="hint">{texts.allowedHint}</p>
        {added === null ? (
          <div>
            <button type="button" className="button button-small" onClick={() => setAdded('')}>
              <PlusIcon /> {texts.add}
            </button>
          </div>
        ) : (
          <>
            <FolderField label={texts.adding} value={added} onChange={setAdded} error={addError} />
            <div>
              <button
                type="button"
                className="button button-small"
                onClick={() => {
                  const whole = isAbsolute(added.trim());
                  setAddError(whole ? null : get.folderPartial);
                  if (!whole) return;
                  onChange({ allowed_roots: withPaths(roots, [added]) });
                  setAdded(null);
                }}
              >
                {texts.addIt}
              </button>
            </div>
          </>
        )}
      </fieldset>
    </section>
  );
}
