import { Option } from 'commander';
import type { Kysely } from 'kysely';
import type { AdminErrorCode } from '#service/admin/admin-error.ts';
import type { AdminDatabase } from '#service/admin/open-database.ts';
import type { Database } from '#service/database/schema/database.ts';
import { absolutePath, dataFolders } from '../../../folders.ts';
import type { LogLevel } from '../../../log-levels.ts';
import { type ExitCode, exitCodes, exitCodesHelp } from '../../exit-codes.ts';
import { CommandError } from '../../failure.ts';
import { dataDirOption, logLevelOption } from '../../options.ts';
import { byStartError } from '../service.ts';

/** Options of every admin command: which service, and the output format. */
export interface AdminFlags {
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly json: boolean;
  readonly logLevel: LogLevel;
}

export const adminOptions = (): readonly Option[] => [
  dataDirOption(),
  new Option('--database-url <url>', 'the PostgreSQL of the service, where it has one of its own').env('DATABASE_URL'),
  new Option('--json', 'print JSON').default(false),
  logLevelOption(),
];

/** The end of each command's help. */
export const adminHelp = (examples: readonly string[], more = ''): string => `
Examples:
${examples.map((example) => `  ${example}`).join('\n')}
${more === '' ? '' : `\n${more}\n`}
It works on the service's database, whether the service runs or not. A running service hears of it within 5 s.
${exitCodesHelp(['ok', 'failure', 'usage', 'unreachable', 'notFound', 'local'])}`;

const byAdminError: Readonly<Record<AdminErrorCode, ExitCode>> = {
  no_service_here: exitCodes.local,
  other_version: exitCodes.failure,
  not_answering: exitCodes.unreachable,
  team_unknown: exitCodes.notFound,
  user_unknown: exitCodes.notFound,
  already_exists: exitCodes.failure,
  invalid: exitCodes.usage,
};

/** Opens the chosen service's database, runs the work, and closes it again. */
export async function withDatabase(
  flags: AdminFlags,
  work: (db: Kysely<Database>, at: Date, opened: AdminDatabase) => Promise<void>,
): Promise<void> {
  // Loaded lazily, so that other commands do not load the service.
  const [{ openAdminDatabase: openOperatorDatabase }, { AdminError }, { StartError }, { createLog }] = await Promise.all([
    import('#service/admin/open-database.ts'),
    import('#service/admin/admin-error.ts'),
    import('#service/start-error.ts'),
    import('../../../log.ts'),
  ]);
  try {
    const opened = await openOperatorDatabase({
      dataDir: dataFolders(absolutePath(flags.dataDir, process.cwd())).service,
      databaseUrl: flags.databaseUrl,
      log: createLog(flags.logLevel),
    });
    try {
      await work(opened.db, new Date(), opened);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof AdminError) throw new CommandError(byAdminError[error.code], error.message, { cause: error });
    if (error instanceof StartError) throw new CommandError(byStartError[error.code], error.message, { cause: error });
    throw error;
  }
}
