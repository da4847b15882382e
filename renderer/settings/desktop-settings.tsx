import { desktopBridge } from '../desktop/bridge.ts';
import { useTongue } from '../words/words.ts';
import type { SettingsPartProps } from './settings-part.ts';

/** What the desktop app does with the system. Set anywhere; it takes hold there. */
export function DesktopSettings({ settings, onChange }: SettingsPartProps) {
  const { desktop: words } = useTongue().words.settings;
  return (
    <section className="card settings-part" aria-labelledby="desktop-heading">
      <h2 id="desktop-heading">{words.title}</h2>
      <label className="check">
        <input type="checkbox" checked={settings.notifications} onChange={(event) => onChange({ notifications: event.target.checked })} />
        <span>{words.notifications}</span>
      </label>
      <label className="check">
        <input type="checkbox" checked={settings.start_at_login} onChange={(event) => onChange({ start_at_login: event.target.checked })} />
        <span>{words.startAtLogin}</span>
      </label>
      {desktopBridge() ? null : <p className="hint">{words.onlyThere}</p>}
    </section>
  );
}
