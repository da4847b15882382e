import type { AddSentLink, SentPackage } from '#protocol/agent/sent-package.ts';
import type { ActOnTransfers, TransferLog } from '#protocol/agent/transfer-actions.ts';
import { transferStates } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { AgentError } from '#protocol/errors.ts';

/** What the fake agent's answers about transfers need of it. */
export interface FakeTransferStore {
  readonly transfers: ReadonlyMap<string, AgentTransfer>;
  readonly log: TransferLog['records'];
  /** What the service has of a sent package, but for its links. */
  readonly sent: Partial<SentPackage>;
  change(id: string, change: Partial<AgentTransfer>): void;
  remove(id: string): void;
}

const isOver = ({ state }: AgentTransfer): boolean => state === 'complete' || state === 'cancelled' || state === 'error';
/** As the real one has it. */
const needs = ({ state, waiting }: AgentTransfer): boolean =>
  state === 'error' || (state === 'transferring' && waiting?.needs_person === true);
const ranks = { high: 0, normal: 1, low: 2 } as const;
const over = ({ state }: AgentTransfer): number => (state === 'complete' || state === 'cancelled' ? 1 : 0);

/** Those that match, in the order asked for, as the real agent lists them. */
export function listed(transfers: Iterable<AgentTransfer>, query: URLSearchParams): AgentTransfer[] {
  const states = query.get('state')?.split(',');
  const name = (query.get('search') ?? query.get('name') ?? '').toLowerCase();
  const all = [...transfers].filter(
    (one) =>
      (!states || states.includes(one.state)) &&
      (!query.has('kind') || one.kind === query.get('kind')) &&
      (!query.has('team_id') || one.team_id === query.get('team_id')) &&
      (!query.has('needs_person') || needs(one) === (query.get('needs_person') === 'true')) &&
      one.name.toLowerCase().includes(name),
  );
  const sort = query.get('sort') ?? '-created_at';
  if (sort === '-created_at') return all.sort((a, b) => b.created_at.localeCompare(a.created_at));
  if (sort === 'name') return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  return all.sort(
    (a, b) =>
      over(a) - over(b) ||
      (over(a)
        ? (b.finished_at ?? '').localeCompare(a.finished_at ?? '')
        : ranks[a.priority] - ranks[b.priority] || a.position - b.position),
  );
}

/** Answers the calls about many transfers and what is done to one; `undefined` where the call is none of these. */
export function answerTransfers(
  store: FakeTransferStore,
  method: string,
  address: URL,
  body: unknown,
): { readonly answer: unknown } | undefined {
  const path = address.pathname.replace('/api/v1/transfers', '');
  if (method === 'GET' && path === '/summary') {
    const all = listed(store.transfers.values(), address.searchParams);
    const states = Object.fromEntries(transferStates.map((state) => [state, all.filter((one) => one.state === state).length]));
    const open = all.filter((one) => !isOver(one));
    const speed = (kind: AgentTransfer['kind']) =>
      open.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.bytes_per_second, 0);
    const left = open.reduce((sum, one) => sum + one.total_bytes - one.bytes, 0);
    return {
      answer: {
        states,
        needs_person: all.filter(needs).length,
        bytes_left: left,
        upload_bps: speed('upload'),
        download_bps: speed('download'),
      },
    };
  }
  if (method === 'POST' && path === '/batch') return { answer: actOn(store, body as ActOnTransfers) };
  const [, id = '', verb] = /^\/([^/]+)(?:\/(\w+))?(?:\/.*)?$/.exec(path) ?? [];
  const transfer = store.transfers.get(id);
  const aboutPackage = transfer && answerSentPackage(store, method, path, transfer, body);
  if (aboutPackage) return aboutPackage;
  if (!transfer) return undefined;
  if (method === 'PATCH') {
    store.change(id, body as Partial<AgentTransfer>);
    return { answer: store.transfers.get(id) };
  }
  if (method === 'GET' && verb === 'log') return { answer: { records: store.log } };
  if (method === 'PUT' && verb) {
    carryOut(store, transfer, verb === 'pause' ? 'pause' : 'resume');
    return { answer: undefined };
  }
  return undefined;
}

function actOn(store: FakeTransferStore, { action, priority, ids, matching, except }: ActOnTransfers) {
  const query = new URLSearchParams(Object.entries(matching ?? {}).map(([key, value]) => [key, String(value)]));
  const chosen = ids ?? listed(store.transfers.values(), query).flatMap(({ id }) => (except?.includes(id) ? [] : [id]));
  let done = 0;
  let reason = '';
  for (const id of chosen) {
    const transfer = store.transfers.get(id);
    if (transfer && action === 'priority') store.change(id, { priority: priority ?? 'normal' });
    else if (!transfer || !carryOut(store, transfer, action)) {
      reason ||= new AgentError('transfer_conflict', { detail: 'Its state does not allow it.' }).message;
      continue;
    }
    done += 1;
  }
  return { done, refused: chosen.length - done, reason };
}

/** Whether its state allowed it. */
function carryOut(store: FakeTransferStore, transfer: AgentTransfer, action: ActOnTransfers['action']): boolean {
  const { id, state } = transfer;
  const still = { bytes_per_second: 0, seconds_left: null, waiting: null };
  if (action === 'pause' && !isOver(transfer) && state !== 'paused') store.change(id, { state: 'paused', ...still });
  else if (action === 'resume' && state === 'paused') store.change(id, { state: 'queued' });
  else if ((action === 'resume' || action === 'retry') && (state === 'error' || state === 'cancelled' || state === 'idle'))
    store.change(id, { state: 'queued', error: null, finished_at: null });
  else if (action === 'cancel' && !isOver(transfer)) store.change(id, { state: 'cancelled', finished_at: transfer.updated_at, ...still });
  else if (action === 'remove' && isOver(transfer)) store.remove(id);
  else return false;
  return true;
}

/** The package of an upload, with a link for each of the transfer's. */
function answerSentPackage(
  store: FakeTransferStore,
  method: string,
  path: string,
  { id, name, package_id, links, total_bytes, total_files }: AgentTransfer,
  body: unknown,
): { readonly answer: unknown } | undefined {
  const [, rest] = /^\/[^/]+\/package(.*)$/.exec(path) ?? [];
  if (rest === undefined) return undefined;
  const view = (): { readonly answer: SentPackage } => {
    const now = store.transfers.get(id)?.links ?? links;
    return {
      answer: {
        id: package_id,
        name,
        state: 'finalized',
        size: total_bytes,
        total_files,
        expiry: '2126-12-24T12:00:00.000Z',
        unlimited_storage: false,
        has_password: false,
        links: now.map((link, index) => ({
          id: `link-${index}`,
          ...link,
          active: true,
          expiry: '2126-12-24T12:00:00.000Z',
          access_limit: 0,
          has_password: false,
        })),
        can_mail: false,
        ...store.sent,
      },
    };
  };
  if (method === 'POST' && rest.endsWith('/mail')) return { answer: undefined };
  if (method === 'POST') {
    const { email = '' } = body as AddSentLink;
    store.change(id, { links: [...links, { email, url: `https://share.example.com/d/${links.length}?secret=new` }] });
  }
  if (method === 'DELETE' && rest !== '') store.change(id, { links: links.filter((_, index) => rest !== `/links/link-${index}`) });
  return method === 'DELETE' ? { answer: undefined } : view();
}
