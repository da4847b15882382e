import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import type { Settings, UpdateSettings } from '#protocol/agent/settings.ts';
import { AgentError } from '#protocol/errors.ts';
import type { Store } from './state/store.ts';

/** The settings of this agent (contract/agent.md §9). Stored in the database. */
export interface AgentSettings {
  current(): Settings;
  /** Absent fields stay unchanged. `path_not_absolute`, `path_not_found` for the download folder. */
  update(change: UpdateSettings): Promise<Settings>;
}

export function defaultSettings(home: string): Settings {
  return {
    max_concurrent_transfers: 4,
    order: 'shared',
    name_collision: 'keep_both',
    download_folder: join(home, 'Downloads'),
    allowed_roots: [home],
    history_days: 90,
    notifications: true,
    start_at_login: false,
    appearance: 'system',
    letter_keys: true,
    dismissed_warnings: [],
    language: '',
  };
}

const name = 'agent-settings';

export function openSettings(
  { settings, writer }: Pick<Store, 'settings' | 'writer'>,
  {
    changed,
    home = homedir(),
    roots,
    fileSystem = nodeFileSystem,
  }: {
    readonly changed: (now: Settings) => void;
    readonly home?: string;
    /** The allowed folders, if given at start: then no setting overrides them. */
    readonly roots?: readonly string[] | undefined;
    readonly fileSystem?: FileSystem;
  },
): AgentSettings {
  const read = (): Settings => ({ ...defaultSettings(home), ...(JSON.parse(settings.get(name) ?? '{}') as Partial<Settings>) });
  const shown = (now: Settings): Settings => (roots ? { ...now, allowed_roots: [...roots] } : now);
  let current = read();
  writer.onEnd((lost) => {
    if (lost) current = read();
  });
  return {
    current: () => shown(current),
    async update(change) {
      if (change.download_folder !== undefined) checkFolder(fileSystem, change.download_folder);
      if (change.allowed_roots !== undefined) {
        if (roots) throw new AgentError('state_conflict', { detail: rootsAreGiven });
        for (const root of change.allowed_roots) checkFolder(fileSystem, root);
      }
      const known = Object.keys(current);
      const next = { ...current, ...Object.fromEntries(Object.entries(change).filter(([key]) => known.includes(key))) };
      writer.write(() => settings.set(name, JSON.stringify(next)));
      current = next;
      await writer.committed();
      changed(shown(current));
      return shown(current);
    },
  };
}

const rootsAreGiven = 'The allowed folders are given where the agent is started. Change them there, and start it again.';

function checkFolder(fileSystem: FileSystem, path: string): void {
  if (!isAbsolute(path)) throw new AgentError('path_not_absolute', { path });
  if (!fileSystem.stat(path)?.isDirectory()) throw new AgentError('path_not_found', { path });
}
