import type { Automation, UpdateAutomation } from '#protocol/agent/automations/automation.ts';
import type { DryRun, TestedPatterns, TestPatterns } from '#protocol/agent/automations/dry-run.ts';
import type { AutomationQuestion, AutomationResult, ForgetEntries, LedgerEntry } from '#protocol/agent/automations/history.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { FormValues } from '#protocol/hosted/forms.ts';

type AutomationEvent =
  | { readonly type: 'automation.changed'; readonly automation: Automation }
  | { readonly type: 'automation.removed'; readonly automation_id: string };

/** What an import answers, but for the automations. */
interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** The automations of a fake agent: what they know is set by the test, what is done to them is done here and told. */
export class FakeAutomations {
  readonly all = new Map<string, Automation>();
  /** Of each automation, by its id. */
  readonly results = new Map<string, readonly AutomationResult[]>();
  readonly ledgers = new Map<string, readonly LedgerEntry[]>();
  readonly questions = new Map<string, readonly AutomationQuestion[]>();
  /** What an export writes. */
  yaml = 'automations: []\n';
  /** What comes of an import, or the error that it answers. */
  import: (yaml: string) => Imported = () => ({ created: 0, updated: 0, unchanged: 0 });
  /** Makes an automation of what an editor sent, or throws what the agent would answer. */
  create: (kind: string, fields: object) => Automation = () => {
    throw new ApiError('internal');
  };
  dryRun: (draft: unknown) => DryRun = () => ({ packages: [], skipped: [], truncated: false });
  testPatterns: (request: TestPatterns) => TestedPatterns = ({ names }) => ({
    results: names.map((name) => ({ name, sent: true, by: '' })),
  });
  readonly #emit: (event: AutomationEvent) => void;

  constructor(emit: (event: AutomationEvent) => void) {
    this.#emit = emit;
  }

  /** Adds or changes one and says so. */
  put(automation: Automation): Automation {
    this.all.set(automation.id, automation);
    this.#emit({ type: 'automation.changed', automation });
    return automation;
  }

  change(id: string, change: Partial<Automation>): Automation {
    return this.put({ ...this.#find(id), ...change } as Automation);
  }

  remove(id: string): void {
    this.all.delete(id);
    this.#emit({ type: 'automation.removed', automation_id: id });
  }

  /** Answers a call below `/api/v1/automations`. */
  answer(method: string, address: URL, body: unknown): unknown {
    const [, first = '', action = '', questionId = ''] = address.pathname.replace('/api/v1/automations', '').split('/');
    if (first === '') return [...this.all.values()];
    if (method === 'GET' && first === 'export') return { yaml: this.yaml };
    if (method === 'POST' && action === '') return this.#post(first, body);
    return this.#one(`${method} ${action}`, decodeURIComponent(first), { address, body, questionId });
  }

  #post(what: string, body: unknown): unknown {
    if (what === 'import') return { ...this.import((body as { yaml: string }).yaml), automations: [...this.all.values()] };
    if (what === 'dry_run') return this.dryRun(body);
    if (what === 'test_patterns') return this.testPatterns(body as TestPatterns);
    return this.put(this.create(what, body as object));
  }

  #one(
    call: string,
    id: string,
    { address, body, questionId }: { readonly address: URL; readonly body: unknown; readonly questionId: string },
  ): unknown {
    const one = this.#find(id);
    const empty = { sent: 0, waiting: 0, failed: 0, questions: 0 };
    switch (call) {
      case 'GET ':
        return one;
      case 'PUT ':
        return this.change(id, body as UpdateAutomation as Partial<Automation>);
      case 'DELETE ':
        return this.remove(id);
      case 'PUT pause':
        return void this.change(id, { active: false, state: 'resting' });
      case 'PUT resume':
        return void this.change(id, { active: true, state: 'watching' });
      case 'POST run':
        if (!one.active) throw new AgentError('state_conflict', { detail: 'This automation rests. Resume it first.' });
        return undefined;
      case 'POST duplicate':
        return this.put({ ...one, id: `${id}-copy`, name: `${one.name} (2)`, active: false, state: 'resting', counts: empty });
      case 'POST dry_run':
        return this.dryRun(one);
      case 'GET results':
        return (this.results.get(id) ?? []).slice(0, Number(address.searchParams.get('limit') ?? 10));
      case 'GET ledger':
        return this.#ledger(id, address.searchParams);
      case 'POST forget':
        return this.#forget(id, body as ForgetEntries);
      case 'GET questions':
        return this.questions.get(id) ?? [];
      case 'POST questions':
        this.#answerQuestion(one, questionId, (body as { form: FormValues }).form);
        return undefined;
      default:
        throw new ApiError('no_such_endpoint', { method: 'ANY', path: address.pathname });
    }
  }

  #ledger(id: string, query: URLSearchParams): { metadata: { total: number }; records: readonly LedgerEntry[] } {
    const found = (this.ledgers.get(id) ?? []).filter(({ path }) => path.includes(query.get('search') ?? ''));
    const from = query.has('after') ? found.findIndex((one) => one.id === query.get('after')) + 1 : 0;
    return { metadata: { total: found.length }, records: found.slice(from, from + Number(query.get('limit') ?? 100)) };
  }

  #forget(id: string, { ids, all }: ForgetEntries): { forgotten: number } {
    const before = this.ledgers.get(id) ?? [];
    const kept = before.filter((one) => one.state === 'sending' || one.state === 'receiving' || !(all || ids?.includes(one.id)));
    this.ledgers.set(id, kept);
    this.change(id, {});
    return { forgotten: before.length - kept.length };
  }

  #answerQuestion(one: Automation, questionId: string, form: FormValues): void {
    const asked = (this.questions.get(one.id) ?? []).find(({ id }) => id === questionId);
    if (!asked) throw new ApiError('not_found', { resource: 'question' });
    const missing = asked.fields.find(({ name, visibility }) => visibility === 'required' && !form[name]);
    if (missing) throw new ApiError('form_response_incomplete', { field: missing.label || missing.name });
    const left = (this.questions.get(one.id) ?? []).filter((other) => other !== asked);
    this.questions.set(one.id, left);
    this.change(one.id, { counts: { ...one.counts, questions: left.length }, state: left.length > 0 ? 'needs_you' : 'working' });
  }

  #find(id: string): Automation {
    const one = this.all.get(id);
    if (!one) throw new ApiError('not_found', { resource: 'automation' });
    return one;
  }
}
