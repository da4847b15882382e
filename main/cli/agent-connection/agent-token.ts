import { tokenOfRunning } from '#agent-api/running-file.ts';
import { absolutePath, dataFolders, defaultDataDir } from '../../folders.ts';
import { readSecret } from '../options.ts';

export interface TokenFlags {
  readonly agentToken?: string;
  readonly agentTokenFile?: string;
  /** Default: the environment's data folder, otherwise the usual one. */
  readonly dataDir?: string;
}

/** The given agent token, or the token of this user's own agent if that agent listens at the address. */
export function tokenFor(url: string, { agentToken, agentTokenFile, dataDir }: TokenFlags): string | undefined {
  const given = readSecret(agentToken, agentTokenFile, "agent's token");
  if (given !== undefined) return given;
  const folder = dataDir ?? (process.env['LONGSHORE_DATA_DIR'] || defaultDataDir());
  return tokenOfRunning(dataFolders(absolutePath(folder, process.cwd())).agent, url) ?? undefined;
}
