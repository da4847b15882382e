import type { Settings, UpdateSettings } from '#protocol/agent/settings.ts';

/** What every part of the settings works with. */
export interface SettingsPartProps {
  readonly settings: Settings;
  readonly onChange: (change: UpdateSettings) => void;
}
