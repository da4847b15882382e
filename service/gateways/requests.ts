import { Value } from 'typebox/value';
import { ApiError } from '#protocol/errors.ts';
import type { CloudFile, ConnectionCheck } from '#protocol/hosted/connections.ts';
import { TaskAnswer } from '#protocol/hosted/gateways.ts';
import { printable } from '#protocol/printable.ts';
import { isWithinSources } from '../connections/sources.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import type { GatewayRequest } from './ports.ts';
import { wakeAsker, wakeGateway } from './wakeups.ts';

/** A connection that a gateway reaches, as its row has it. */
export interface GatewayConnection {
  readonly id: string;
  readonly state: string;
  readonly state_message: string;
  readonly storage_gateway_id: string | null;
}

const timeLimit = 20_000;

type Asking = Pick<Context, 'db' | 'gateways' | 'disconnection'>;

const unavailable = (detail: string): ApiError => new ApiError('storage_unavailable', { detail });

/**
 * Asks a connection's gateway, and waits for its answer; `onMore` hears what of it is known before. Errors: `storage_unavailable` for a connection that is offline, and for
 * a gateway that does not answer in time; the signal's reason where the caller has left.
 */
export async function askGateway(
  { db, gateways, disconnection }: Asking,
  connection: GatewayConnection,
  request: GatewayRequest,
  onMore: (soFar: TaskAnswer) => void = () => undefined,
): Promise<TaskAnswer> {
  const { id: connectionId, storage_gateway_id: gatewayId } = connection;
  if (gatewayId === null || connection.state !== 'ok') throw unavailable(withoutPeriod(connection.state_message));
  const id = newId();
  const expected = gateways.expectAnswer(id);
  const left = disconnection();
  const timeIsUp = AbortSignal.timeout(timeLimit);
  const signal = AbortSignal.any([left, timeIsUp]);
  try {
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('gateway_requests')
        .values({ id, storage_gateway_id: gatewayId, cloud_connection_id: connectionId, request: JSON.stringify(request) })
        .execute();
      await wakeGateway(trx, gatewayId);
    });
    for (;;) {
      await expected.wait(signal);
      const row = await db.selectFrom('gateway_requests').select('answer').where('id', '=', id).executeTakeFirst();
      if (!row) throw unavailable('its storage gateway was removed');
      if (row.answer?.more) onMore(row.answer);
      else if (row.answer) return row.answer;
      left.throwIfAborted();
      if (timeIsUp.aborted) throw unavailable(`its storage gateway gave no answer within ${timeLimit / 1_000} s`);
    }
  } finally {
    expected.end();
    await db.deleteFrom('gateway_requests').where('id', '=', id).execute();
  }
}

/** A page of a folder of a connection's mount. Errors: those of `askGateway`, `not_found`. */
export async function browseGateway(
  context: Asking,
  connection: GatewayConnection & { readonly source_directory_ids: readonly string[] },
  page: Omit<Extract<GatewayRequest, { readonly kind: 'browse' }>, 'kind'>,
): Promise<{ readonly records: CloudFile[]; readonly next: string }> {
  const answer = await askGateway(context, connection, { kind: 'browse', ...page });
  if (answer.items) {
    const records = answer.items.slice(0, page.count).filter(({ id }) => isWithinSources(connection.source_directory_ids, id));
    return { records, next: answer.next_key ?? '' };
  }
  if (answer.not_found) throw new ApiError('not_found', { resource: 'folder (prefix)' });
  throw unavailable(withoutPeriod(answer.error ?? 'its storage gateway gave another answer than that'));
}

/** What a gateway tries, in its order. */
export const checkSteps = (write: boolean): readonly ('put' | 'list' | 'get' | 'delete')[] =>
  write ? ['put', 'list', 'get', 'delete'] : ['list'];

/** What a gateway tries after these; null for nothing. What could not be written is not read back. */
export function stepAfter(ended: ConnectionCheck['steps'], write: boolean): ConnectionCheck['steps'][0]['step'] | null {
  const next = checkSteps(write)[ended.length];
  if (next === undefined) return null;
  return ended.length === 0 || next === 'list' || ended[0]?.ok ? next : null;
}

/**
 * What a check of a connection's mount says; a gateway that gives no answer fails the step that it was at, and none where it has told
 * of all. `onSteps` hears of the steps that have ended, while it runs.
 */
export async function checkByGateway(
  context: Asking,
  connection: GatewayConnection,
  request: Omit<Extract<GatewayRequest, { readonly kind: 'check' }>, 'kind'>,
  onSteps: (soFar: ConnectionCheck['steps']) => void,
): Promise<ConnectionCheck['steps']> {
  let ended: ConnectionCheck['steps'] = [];
  const failed = (message: string): ConnectionCheck['steps'] => {
    const step = stepAfter(ended, request.write);
    return step === null ? ended : [...ended, { step, ok: false, message }];
  };
  try {
    const answer = await askGateway(context, connection, { kind: 'check', ...request }, ({ steps = [] }) => {
      ended = steps;
      onSteps(steps);
    });
    return answer.steps ?? failed(answer.error ?? 'Its storage gateway gave another answer than that.');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failed(connection.state === 'ok' ? error.message : connection.state_message);
  }
}

/** Its sentences come from another machine, and name files of its disk. */
const withPrintableText = (answer: TaskAnswer): TaskAnswer => ({
  ...answer,
  ...(answer.error !== undefined && { error: printable(answer.error) }),
  ...(answer.steps && { steps: answer.steps.map((step) => ({ ...step, message: printable(step.message) })) }),
});

const withoutPeriod = (text: string): string => text.replace(/\.$/, '');

/** A gateway's answer, for whoever waits in any of the processes (contract/gateways.md §6). */
export const answerGatewayTask: HandlersOf<'answerGatewayTask'>['answerGatewayTask'] = async ({ params, body }, { db, credential }) => {
  const given = (['items', 'steps', 'error'] as const).filter((field) => body[field] !== undefined);
  if (given.length !== 1) throw new ApiError('invalid_request', { detail: 'items: give either items, or steps, or error.' });
  if (body.more && !body.steps) throw new ApiError('invalid_request', { detail: 'more: only steps are told one by one.' });
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('gateway_requests')
      .select(['request', 'answer'])
      .where('id', '=', params.task_id)
      .where('storage_gateway_id', '=', credential.gatewayId)
      .forUpdate()
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found', { resource: 'task' });
    const kind = body.items ? 'browse' : body.steps ? 'check' : row.request.kind;
    if (kind !== row.request.kind) {
      throw new ApiError('state_conflict', { detail: `This task is a ${row.request.kind}, and its answer is that of a ${kind}.` });
    }
    // An answer that is sent again is the first one again, and what was told on the way to it comes too late.
    if (row.answer && !row.answer.more) return;
    await trx
      .updateTable('gateway_requests')
      .set({ answer: JSON.stringify(withPrintableText(Value.Clean(TaskAnswer, body) as TaskAnswer)) })
      .where('id', '=', params.task_id)
      .execute();
    await wakeAsker(trx, params.task_id);
  });
  return undefined;
};
