import type { Settings, UpdateSettings } from '#protocol/agent/settings.ts';

/** Properties of every section of the settings. */
export interface SettingsPartProps {
  readonly settings: Settings;
  readonly onChange: (change: UpdateSettings) => void;
}
