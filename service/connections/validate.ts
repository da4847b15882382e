import type { ConnectionCheck } from '#protocol/hosted/connections.ts';
import { type Direction, type ProviderName, providers } from '#protocol/providers.ts';
import { type CheckReport, checkProvider, type StepListener } from '#providers/check.ts';
import { ProviderError } from '#providers/errors.ts';
import { checkByGateway, type GatewayConnection, stepAfter } from '../gateways/requests.ts';
import type { Context } from '../handler.ts';
import { usualFolders } from '../transfers/landing.ts';
import type { ConnectionCredentials } from './open-provider.ts';
import { sourceRoots } from './sources.ts';
import { connectionStateAfterCheck, recordConnectionState } from './state.ts';

/** What validation needs of a connection's row. */
export interface ValidatedConnection extends ConnectionCredentials, GatewayConnection {
  readonly provider: ProviderName;
  readonly direction: Direction;
  readonly target_directory_id: string;
  readonly source_directory_ids: readonly string[];
}

/** Told of each step as it begins and ends, with the folder where it is tried. */
type FolderStepListener = (folder: string, ...step: Parameters<StepListener>) => void;

/** For all steps together, in milliseconds. With the removal of what was written it stays below what proxies wait for. */
const timeLimit = 40_000;
/** Fewer than transfers have: somebody waits. */
const attempts = 3;

/**
 * Does with a connection what transfers do, for real, and keeps what that says of it (contract/connections.md §3, §6).
 * Rejects only if the client disconnects; what was written is removed then, too. `onStep` hears of each step while it runs.
 */
export async function validate(
  connection: ValidatedConnection,
  context: Pick<Context, 'cloudProviders' | 'db' | 'log' | 'disconnection' | 'gateways'>,
  onStep: FolderStepListener = () => undefined,
): Promise<ConnectionCheck> {
  const { cloudProviders, db, log, disconnection } = context;
  if (providers[connection.provider].gateway) {
    const folders = [...foldersOf(connection)];
    const [folder = ''] = folders;
    let told = 0;
    onStep(folder, firstStepOf(connection), null);
    const tell = (steps: ConnectionCheck['steps'], more: boolean): void => {
      for (const result of steps.slice(told)) onStep(folder, result.step, result);
      const next = stepAfter(steps, mayWrite(connection));
      if (more && steps.length > told && next) onStep(folder, next, null);
      told = Math.max(told, steps.length);
    };
    const steps = await checkByGateway(context, connection, { folders, write: mayWrite(connection) }, (soFar) => tell(soFar, true));
    tell(steps, false);
    return { ok: steps.every(({ ok }) => ok), steps, notes: [] };
  }
  const { failures, ...check } = await checked(connection, cloudProviders, disconnection(), onStep);
  for (const failure of failures) {
    if (!(failure instanceof ProviderError)) log.error({ err: failure, connection: connection.id }, 'a check of a connection failed');
  }
  const state = connectionStateAfterCheck(check.ok, failures);
  if (state) await recordConnectionState(db, connection, state);
  return check;
}

async function checked(
  connection: ValidatedConnection,
  cloudProviders: Context['cloudProviders'],
  signal: AbortSignal,
  onStep: FolderStepListener,
): Promise<CheckReport> {
  const { direction, target_directory_id: target } = connection;
  const until = performance.now() + timeLimit;
  const check = (folder: string, otherFolders: readonly string[] = []): Promise<CheckReport> => {
    const seconds = Math.max(1, Math.ceil((until - performance.now()) / 1_000));
    const tell: StepListener = (...step) => onStep(folder, ...step);
    const options = { direction, folder, otherFolders, signal, timeLimit: seconds * 1_000, onStep: tell };
    return cloudProviders.use(connection, (provider) => checkProvider(provider, options), { attempts });
  };
  try {
    if (mayWrite(connection)) return await checkPlaces(landingPlaces(target), check);
    const [folder = '', ...otherFolders] = foldersOf(connection);
    return await check(folder, otherFolders);
  } catch (error) {
    // One that cannot even be opened.
    if (!(error instanceof ProviderError)) throw error;
    const result = { step: firstStepOf(connection), ok: false, message: error.message };
    onStep(mayWrite(connection) ? (landingPlaces(target)[0] ?? '') : (foldersOf(connection)[0] ?? ''), result.step, result);
    return { ok: false, steps: [result], notes: [], failures: [error] };
  }
}

const mayWrite = ({ direction }: Pick<ValidatedConnection, 'direction'>): boolean => direction === 'service_to_cloud';
const firstStepOf = (connection: Pick<ValidatedConnection, 'direction'>): 'put' | 'list' => (mayWrite(connection) ? 'put' : 'list');

/** The folders that transfers use; none: the whole destination. */
const foldersOf = (connection: ValidatedConnection): readonly string[] =>
  mayWrite(connection) ? [fixedPart(connection.target_directory_id)] : (sourceRoots(connection.source_directory_ids) ?? ['']);

/**
 * Tries each place where deliveries land. A policy may allow one of them alone, so one that works is enough, and a note tells of
 * the others. What is not about permissions would be the same in each.
 */
async function checkPlaces(
  [first = '', ...others]: readonly string[],
  check: (folder: string) => Promise<CheckReport>,
): Promise<CheckReport> {
  const report = await check(first);
  const isForbidden = ({ failures }: CheckReport) => failures.some((one) => one instanceof ProviderError && one.code === 'forbidden');
  if (!report.ok && !isForbidden(report)) return report;
  const reports = [{ folder: first, report }];
  for (const folder of others) reports.push({ folder, report: await check(folder) });
  const working = reports.find((one) => one.report.ok);
  if (!working) return report;
  const notes = reports.flatMap(({ folder, report: { ok, steps } }) =>
    ok ? [] : [`Nothing can be delivered to ${folder}/. ${steps.find((step) => !step.ok)?.message ?? ''}`.trim()],
  );
  return { ...working.report, notes: [...working.report.notes, ...notes] };
}

/** Where deliveries land, without what differs between them: those of Portals and others have places of their own. */
export const landingPlaces = (target: string): readonly string[] =>
  target.replaceAll('/', '') === '' ? [fixedPart(usualFolders.portal), fixedPart(usualFolders.other)] : [fixedPart(target)];

/** Of the folder that packages go to: what comes before the first step that differs between them. */
export function fixedPart(target: string): string {
  const steps = target.split('/').filter((step) => step !== '');
  const variable = steps.findIndex((step) => /\{(portal|package|date|sender)\}/.test(step));
  return (variable === -1 ? steps : steps.slice(0, variable)).join('/');
}
