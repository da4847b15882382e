import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'electron';
import { makeDirs } from '#filesystem/make-dirs.ts';

interface LoginParts {
  readonly app: Pick<App, 'setLoginItemSettings'>;
  readonly platform: NodeJS.Platform;
  readonly program: string;
  readonly configHome: string;
}

/** The flag for a start in the background: agent and tray, no window. */
const hiddenFlag = '--hidden';

/**
 * Enables or disables the start at log-in, without a window. macOS and Windows keep a list in the system, and macOS
 * tells the app that it was started by it. A Linux desktop reads files in `autostart` of its configuration folder.
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
  makeDirs(folder);
  writeFileSync(`${file}.new`, autostartEntry(parts.program));
  renameSync(`${file}.new`, file);
}

/** A desktop entry as freedesktop.org specifies it. Some characters of the program's path must be escaped. */
export function autostartEntry(program: string): string {
  const quoted = program.replaceAll(/[\\"`$]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Longshore',
    // A key's value needs a second escape for the backslash.
    `Exec="${quoted.replaceAll('\\', '\\\\')}" ${hiddenFlag}`,
    'Icon=longshore',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}
