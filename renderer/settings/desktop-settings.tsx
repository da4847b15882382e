import { useId } from 'react';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { useMayNotify } from '../notices/permission.ts';
import type { SettingsPartProps } from './settings-part.ts';

/**
 * Settings for the desktop app's use of the system, and for a browser as far as possible. They can be changed in both.
 */
export function DesktopSettings({ settings, onChange }: SettingsPartProps) {
  const { desktop: messages } = useLocale().messages.settings;
  const { may, ask } = useMayNotify();
  const id = useId();
  const inBrowser = desktopBridge() === null;
  return (
    <section className="card settings-part" aria-labelledby="desktop-heading">
      <h2 id="desktop-heading">{messages.title}</h2>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.notifications}
          aria-describedby={inBrowser && settings.notifications ? `${id}-notify` : undefined}
          onChange={(event) => {
            onChange({ notifications: event.target.checked });
            if (inBrowser && event.target.checked) ask();
          }}
        />
        <span>{messages.notifications}</span>
      </label>
      {inBrowser && settings.notifications ? (
        <p className="hint" id={`${id}-notify`}>
          {messages.inBrowser[may]}{' '}
          {may === 'default' ? (
            <button type="button" className="button-link" onClick={ask}>
              {messages.allow}
            </button>
          ) : null}
        </p>
      ) : null}
      <label className="check">
        <input
          type="checkbox"
          checked={settings.start_at_login}
          aria-describedby={inBrowser ? `${id}-login` : undefined}
          onChange={(event) => onChange({ start_at_login: event.target.checked })}
        />
        <span>{messages.startAtLogin}</span>
      </label>
      {inBrowser ? (
        <p className="hint" id={`${id}-login`}>
          {messages.onlyThere}
        </p>
      ) : null}
    </section>
  );
}
