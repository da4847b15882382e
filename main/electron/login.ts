import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';

export interface LoginParts {
  readonly app: Pick<App, 'setLoginItemSettings'>;
  readonly platform: NodeJS.Platform;
  readonly program: string;
  readonly configHome: string;
}

/** The flag of a start that nobody looks at: the agent and the tray, and no window. */
export const hiddenFlag = '--hidden';

/**
 * Starts the app when the person logs in, without a window, or no longer. On macOS and Windows the system keeps a
 * list, and macOS says itself that it began the app; a Linux desktop reads files in `autostart` of its configuration folder.
 */
export function setStartAtLogin(parts: LoginParts, start: boolean): void {
  if (parts.platform !== 'linux') {
    parts.app.setLoginItemSettings({ openAtLogin: start, path: parts.program, args: [hiddenFlag] });
    return;
  }
  const folder = join(parts.configHome, 'autostart');
  const file = join(folder, 'longshore.desktop');
  if (!start) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.new`, autostartEntry(parts.program));
  renameSync(`${file}.new`, file);
}

/** A desktop entry after freedesktop.org's specification, in which a few characters of the program's path have a meaning. */
export function autostartEntry(program: string): string {
  const quoted = program.replaceAll(/[\\"`$]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Longshore',
    // The value of a key has an escape of its own for the backslash.
    `Exec="${quoted.replaceAll('\\', '\\\\')}" ${hiddenFlag}`,
    'Icon=longshore',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}
