import { useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { FolderIcon } from '#ui/icons.tsx';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { FolderBrowser } from './folder-browser.tsx';
import { isAbsolute } from './path-text.ts';

interface FolderFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called with a chosen folder, and after typing has ended. */
  readonly onSettle?: (value: string) => void;
  readonly hint?: string;
  readonly error?: string | null;
}

/** One folder on the agent's machine: chosen by the system's dialog, in our folder browser, or typed. */
export function FolderField({ label, value, onChange, onSettle, hint, error }: FolderFieldProps) {
  const { get } = useLocale().messages;
  const bridge = desktopBridge();
  const [browsing, setBrowsing] = useState(false);
  const take = (folder: string) => {
    onChange(folder);
    onSettle?.(folder);
  };
  const choose = async () => {
    if (!bridge) {
      setBrowsing(true);
      return;
    }
    const picked = await bridge.pickFolder();
    if (picked) take(picked);
  };
  return (
    <div className="folder-field">
      <TextField
        label={label}
        required
        spellCheck={false}
        className="input mono"
        placeholder="/media/incoming"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => onSettle?.(value)}
        error={error}
        hint={hint}
      />
      <button type="button" className="button" onClick={choose}>
        <FolderIcon /> {get.choose}
      </button>
      {browsing ? (
        <FolderBrowser
          choosing="folder"
          from={isAbsolute(value) ? value : ''}
          onClose={() => setBrowsing(false)}
          onChoose={([folder]) => {
            if (folder) take(folder);
            setBrowsing(false);
          }}
        />
      ) : null}
    </div>
  );
}
