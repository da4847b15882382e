import { v7 as uuid } from 'uuid';
import type { AutomationKind } from '#protocol/agent/automations/automation.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Asking } from '../asking.ts';
import type { Happening } from '../events.ts';
import { withNumber } from '../folders/names.ts';
import type { Log } from '../ports.ts';
import type { Session } from '../session/session.ts';
import { previewPortal } from '../transfer/previews.ts';
import type { Automations } from './automations.ts';
import { createArrivalBells } from './downloads/arrival-bells.ts';
import { checkDownload } from './downloads/check-download.ts';
import { createDownloadWork, type DownloadWorkPorts } from './downloads/download-work.ts';
import { dryRunDownload } from './downloads/dry-run.ts';
import { checkFolders, usedFolders } from './folders-in-use.ts';
import { importedRecords, importPlan } from './import.ts';
import { changedRecord, newRecord } from './new-record.ts';
import { type AutomationRecord, type DownloadAutomationFacts, isUpload, isUploadKind, type UploadAutomation } from './record.ts';
import { writeAutomations } from './rules/automations-yaml.ts';
import { completeForm } from './rules/form-fill/fill-form.ts';
import type { UsedFolder } from './rules/overlap.ts';
import { compilePatterns } from './rules/patterns.ts';
import { createRunner, type RunnerPorts } from './runner/runner.ts';
import { dryRunUpload } from './uploads/dry-run.ts';
import { portalOf } from './uploads/forms.ts';
import { letGo } from './uploads/growing/open-packages.ts';
import { identityOf } from './uploads/scan-folder.ts';
import { createUploadWork, type UploadWorkPorts } from './uploads/upload-work.ts';
import { entryView, resultView } from './view.ts';

export interface AutomationsPorts
  extends Omit<UploadWorkPorts & DownloadWorkPorts, 'patchFacts' | 'downloadFacts' | 'bells' | 'now' | 'clock' | 'log'>,
    Pick<RunnerPorts, 'clock' | 'random' | 'emit'> {
  readonly log: Log;
  readonly session: Pick<Session, 'findFor' | 'hosted' | 'all' | 'current'>;
  /** Folders that others of this agent use, such as mounts. */
  readonly otherFolders: () => readonly UsedFolder[];
  /** Fires when the engine closes. */
  readonly closing: AbortSignal;
}

/** Automations, and what the engine tells them. */
export interface OpenedAutomations {
  readonly automations: Automations;
  /** The folders that automations use. */
  folders(): UsedFolder[];
  /** To be called with every event of the engine. */
  heard(happening: Happening): void;
  /** Begins to work. */
  begin(): void;
  close(): Promise<void>;
}

/** Rows of removed automations that are deleted before the event loop gets a turn. */
const rowsAtOnce = 2_000;

export function openAutomations(ports: AutomationsPorts): OpenedAutomations {
  const { store, clock, fileSystem, closing } = ports;
  const { records, ledger, results, questions } = store.automations;
  const now = clock.now;
  const bells = createArrivalBells(ports);
  const workPorts = {
    ...ports,
    now,
    bells,
    downloadFacts: (id: string) => runner.record(id).facts as DownloadAutomationFacts,
    patchFacts(id: string, facts: AutomationRecord['facts'] | Partial<UploadAutomation['facts']>) {
      const record = runner.record(id);
      const next = { ...record, facts: { ...record.facts, ...facts } } as AutomationRecord;
      records.update(next);
      runner.replace(next);
    },
  };
  const runner = createRunner({
    ...ports,
    workFor: (record, context) => (isUpload(record) ? createUploadWork(workPorts, context) : createDownloadWork(workPorts, context)),
  });

  const save = async (record: AutomationRecord, how: 'insert' | 'update'): Promise<void> => {
    store.writer.write(() => {
      records[how](record);
      // What has begun to grow is sent to its end, without what comes later.
      if (!record.fields.active) letGo(workPorts, record.id);
    });
    await store.writer.committed();
    await runner.restart(record);
  };

  const checkName = (name: string, except: string | null): void => {
    if (!runner.all().some((one) => one.fields.name === name && one.id !== except)) return;
    throw new ApiError('already_exists', { detail: `There is an automation "${name}" already. Choose another name.` });
  };

  const checkScope = (record: AutomationRecord): void => {
    const fields: Readonly<Record<string, unknown>> = { ...record.fields };
    for (const name of ['folder', 'move_to', 'dst_folder']) if (typeof fields[name] === 'string') ports.pathGuard(fields[name]);
  };

  /** Everything about a record that can be said without asking a service. */
  const checkHere = (record: AutomationRecord, asking: Asking | undefined, all = runner.all()): void => {
    const fields: Readonly<Record<string, unknown>> = { ...record.fields };
    if (asking?.restricted || record.restricted) checkScope(record);
    const others = all.filter(({ id }) => id !== record.id);
    checkFolders(fields, isUpload(record), { others, more: ports.otherFolders(), fileSystem });
  };

  /** Whether its service knows the Team or the Portal that it sends to. */
  const checkThere = async (record: AutomationRecord): Promise<void> => {
    if (record.kind === 'portal_upload') await previewPortal(ports.jobs, ports.serviceUrl, portalOf(record));
    else if (isUpload(record)) await ports.session.findFor(record.fields.team_id);
    else await checkDownload(workPorts, record, closing);
  };

  const teamsNow = () => ports.session.all().flatMap(({ teams }) => teams);
  /** Those that its sessions are in; the login is asked for its own where nothing is known yet. */
  const knownTeams = async () => {
    if (teamsNow().length === 0) await ports.session.current();
    return teamsNow();
  };

  const draft = (kind: AutomationKind, fields: object, asking: Asking | undefined): AutomationRecord =>
    newRecord(kind, { ...fields }, { id: uuid(), now: now(), restricted: asking?.restricted === true });

  const dryRun = (record: AutomationRecord) =>
    isUpload(record) ? dryRunUpload(workPorts, record, closing) : dryRunDownload(workPorts, record, closing);

  /** No pass runs meanwhile, so that none writes back what is being changed. If that fails, it goes on as before. */
  const whileStopped = async (id: string, change: (record: AutomationRecord) => Promise<void>): Promise<void> => {
    await runner.stop(id);
    try {
      await change(runner.record(id));
    } catch (cause) {
      await runner.restart(runner.record(id));
      throw cause;
    }
  };

  const setActive = async (id: string, active: boolean): Promise<void> => {
    if (runner.record(id).fields.active === active) return;
    await whileStopped(id, (record) =>
      save({ ...record, fields: { ...record.fields, active }, updatedAt: now() } as AutomationRecord, 'update'),
    );
  };

  const deleteRemoved = async (): Promise<void> => {
    while (!closing.aborted && store.writer.write(() => records.removeSome(rowsAtOnce))) {
      await store.writer.committed();
      await new Promise((resume) => setImmediate(resume));
    }
  };
  const deleteLater = (): void =>
    void deleteRemoved().catch((error: unknown) => ports.log.warn({ error: String(error) }, 'a removed automation is deleted later'));

  return {
    automations: {
      list: () => runner.all().map(({ id }) => runner.view(id)),
      get: (id) => runner.view(id),
      async create(kind, fields, asking) {
        const record = draft(kind, fields, asking);
        checkName(record.fields.name, null);
        checkHere(record, asking);
        await checkThere(record);
        await save(record, 'insert');
        return runner.view(record.id);
      },
      async update(id, change, asking) {
        await whileStopped(id, async (before) => {
          const changed = changedRecord(before, change, now());
          // Whoever is restricted cannot lift what an automation may use, and makes it keep to that too.
          const restricted = changed.restricted || asking?.restricted === true;
          const record = withFolder(before, { ...changed, restricted } as AutomationRecord);
          checkName(record.fields.name, id);
          checkHere(record, asking);
          if (namesAnotherTarget(before, record)) await checkThere(record);
          await save(record, 'update');
        });
        return runner.view(id);
      },
      async remove(id) {
        await whileStopped(id, async () => {
          store.writer.write(() => {
            records.hide(id);
            letGo(workPorts, id);
          });
          await store.writer.committed();
        });
        await runner.remove(id);
        deleteLater();
      },
      pause: (id) => setActive(id, false),
      resume: (id) => setActive(id, true),
      async run(id) {
        if (!runner.record(id).fields.active) throw new ApiError('state_conflict', { detail: 'This automation rests. Resume it first.' });
        runner.wake(id);
      },
      async duplicate(id, asking) {
        const { kind, fields, secrets, restricted } = runner.record(id);
        const name = withNumber(fields.name, (candidate) => !runner.all().some((one) => one.fields.name === candidate));
        const given = { ...fields, ...('accessCode' in secrets ? { access_code: secrets.accessCode } : {}), name, active: false };
        const copy = draft(kind, given, { restricted: restricted || asking?.restricted === true });
        await save(copy, 'insert');
        return runner.view(copy.id);
      },
      dryRun: async (id) => dryRun(runner.record(id)),
      async dryRunDraft({ id, kind, automation }, asking) {
        const record = draft(kind, automation, asking);
        const folder = (automation as { readonly folder?: string }).folder;
        if (asking?.restricted && folder !== undefined) ports.pathGuard(folder);
        if (id === undefined) return dryRun(record);
        const saved = runner.record(id);
        if (saved.kind !== kind)
          throw new ApiError('invalid_request', { detail: `The field id names a ${saved.kind}, and its kind stays.` });
        if (asking?.restricted) checkScope(saved);
        const { createdAt, updatedAt, facts } = saved;
        const secrets = { ...saved.secrets, ...record.secrets };
        return dryRun(withFolder(saved, { ...record, id, createdAt, updatedAt, facts, secrets } as AutomationRecord));
      },
      testPatterns({ include, exclude, not_ready, folder, names }) {
        const verdictOf = compilePatterns({ include, exclude, notReady: not_ready, folder });
        return {
          results: names.map((name) => {
            const { sent, ready, by } = verdictOf(name);
            return { name, sent: sent && ready, by };
          }),
        };
      },
      results(id, limit) {
        runner.record(id);
        return results.last(id, limit).map(resultView);
      },
      ledger(id, { after, limit, search = '' }) {
        runner.record(id);
        const { total, records: rows } = ledger.page(id, { afterId: after === undefined ? null : numberOf(after), limit, search });
        return { total, records: rows.map(entryView) };
      },
      async forget(id, { ids, all }) {
        runner.record(id);
        const forgotten = store.writer.write(() => ledger.forget(id, all ? null : (ids ?? []).map(numberOf)));
        await store.writer.committed();
        runner.changed(id);
        runner.wake(id);
        return forgotten;
      },
      questions(id) {
        runner.record(id);
        return questions
          .all(id)
          .filter(({ answers }) => answers === null)
          .map(({ id: questionId, entry, fields, askedAt }) => {
            return { id: questionId, entry, fields: [...fields], asked_at: new Date(askedAt).toISOString() };
          });
      },
      async answer(id, questionId, form) {
        runner.record(id);
        const asked = questions.all(id).find((one) => one.id === questionId);
        if (!asked) throw new ApiError('not_found', { resource: 'question' });
        const [missing] = completeForm(asked.fields, {}, form).missing;
        if (missing) throw new ApiError('form_response_incomplete', { field: missing.label || missing.name });
        store.writer.write(() => questions.answer(id, questionId, form));
        await store.writer.committed();
        runner.changed(id);
        runner.wake(id);
      },
      export(ids) {
        const all = runner.all().map(({ id }) => id);
        const unknown = ids?.find((id) => !all.includes(id));
        if (unknown !== undefined) throw new ApiError('invalid_request', { detail: `The field ids names no automation: ${unknown}.` });
        const chosen = ids ?? all;
        return writeAutomations(
          chosen.map((id) => runner.view(id)),
          teamsNow(),
        );
      },
      async import(yaml, asking) {
        const plan = await importPlan(yaml, runner.all(), knownTeams);
        const ids = plan.updates.map(({ id }) => id);
        for (const id of ids) await runner.stop(id);
        try {
          const restricted = asking?.restricted === true;
          const { created, updated, unchanged } = importedRecords(plan, {
            create: ({ kind, fields }) => draft(kind, fields, asking),
            get: runner.record,
            now: now(),
          });
          const changed = updated.map(({ before, after }) => {
            return withFolder(before, { ...after, restricted: after.restricted || restricted } as AutomationRecord);
          });
          const later = new Map([...runner.all(), ...changed, ...created].map((record) => [record.id, record]));
          for (const record of [...changed, ...created]) checkHere(record, asking, [...later.values()]);
          store.writer.write(() => {
            for (const record of created) records.insert(record);
            for (const record of changed) {
              records.update(record);
              if (!record.fields.active) letGo(workPorts, record.id);
            }
          });
          await store.writer.committed();
          for (const record of [...changed, ...created]) await runner.restart(record);
          const all = [...created, ...changed].map(({ id }) => id).concat(unchanged);
          return {
            created: created.length,
            updated: changed.length,
            unchanged: unchanged.length,
            automations: all.map((id) => runner.view(id)),
          };
        } catch (cause) {
          for (const id of ids) await runner.restart(runner.record(id));
          throw cause;
        }
      },
    },
    folders: () => usedFolders(runner.all(), fileSystem),
    heard: runner.heard,
    begin() {
      runner.begin();
      deleteLater();
    },
    async close() {
      await runner.close();
      await bells.close();
    },
  };

  /** Another folder begins anew; the same one under another name does not. */
  function withFolder(before: AutomationRecord, record: AutomationRecord): AutomationRecord {
    if (!isUpload(before) || !isUpload(record) || before.fields.folder === record.fields.folder) return record;
    const there = fileSystem.stat(record.fields.folder);
    if (!record.facts.started || (there && identityOf(there) === record.facts.started.identity)) return record;
    const { started: _, startedBefore: __, ...facts } = record.facts;
    return { ...record, facts } as AutomationRecord;
  }
}

const numberOf = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0);

/** Whether the service has to be asked about what it sends to. */
function namesAnotherTarget(before: AutomationRecord, after: AutomationRecord): boolean {
  const targetOf = ({ kind, fields, secrets }: AutomationRecord): string => {
    const { team_id, portal_id, subdomain, service_url } = fields as Readonly<Record<string, unknown>>;
    return JSON.stringify([kind, team_id, isUploadKind(kind) ? [portal_id, subdomain, service_url] : portal_id, secrets]);
  };
  return targetOf(before) !== targetOf(after);
}
