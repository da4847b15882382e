import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { ApiError } from '#protocol/errors.ts';
import type { FormField, FormValues } from '#protocol/hosted/forms.ts';
import type { Session } from '../../session/session.ts';
import type { Store } from '../../state/store.ts';
import type { ChosenUpload } from '../../transfer/chosen-upload.ts';
import type { JobPorts } from '../../transfer/job.ts';
import { openPortal } from '../../transfer/portal.ts';
import { portalService } from '../../transfer/previews.ts';
import { dueAtOf } from '../due-at.ts';
import type { UploadAutomation } from '../record.ts';
import { unlessAborted } from '../runner/unless-aborted.ts';
import { portalOf } from './forms.ts';
import { ledgerRows, transferFiles } from './package-files.ts';
import type { ReadyPackage } from './ready-package.ts';

export interface SendPorts {
  /** The agent's own service, for Portals without another. */
  readonly serviceUrl: string;
  readonly store: Store;
  readonly session: Pick<Session, 'findFor'>;
  readonly jobs: Pick<JobPorts, 'transport' | 'fileSystem'>;
  readonly uploadChosen: (request: ChosenUpload, alsoWrite: (transferId: string) => void) => Promise<string>;
  readonly now: () => number;
  /** Changes what the automation keeps for itself. Inside a write. */
  readonly patchFacts: (id: string, facts: Partial<UploadAutomation['facts']>) => void;
}

/**
 * Makes the transfer of a package. The transfer, its files and their rows in the ledger are one commit: a crash leaves all
 * of them or none. Errors are those of the service or of the session, with nothing done.
 */
export async function sendPackage(
  ports: SendPorts,
  record: UploadAutomation,
  ready: ReadyPackage,
  { folder, contentOf, signal }: { folder: string; contentOf: (path: string) => string; signal: AbortSignal },
): Promise<string> {
  const { store, now } = ports;
  const { ledger, questions } = store.automations;
  const to = await targetOf(ports, record, ready, signal);
  signal.throwIfAborted();
  return ports.uploadChosen(
    {
      automationId: record.id,
      restricted: record.restricted,
      name: ready.packageName,
      priority: record.fields.priority,
      dueAt: dueAtOf(record.fields, now()),
      folder,
      files: transferFiles(ready, folder),
      description: record.fields.package_description ?? '',
      growing: ready.whole ? { idleMs: record.fields.growing_idle_seconds * 1_000, entry: ready.entry } : undefined,
      to,
    },
    (transferId) => {
      ledger.put(record.id, ledgerRows(ready.files, transferId, now(), contentOf));
      questions.remove(record.id, ready.entry);
      ports.patchFacts(record.id, { counter: ready.counter, submitting: undefined });
    },
  );
}

async function targetOf(
  ports: SendPorts,
  record: UploadAutomation,
  { entry, form }: ReadyPackage,
  signal: AbortSignal,
): Promise<ChosenUpload['to']> {
  if (record.kind === 'team_upload') {
    const { team_id: teamId, recipients } = record.fields;
    const { id: sessionId, serviceUrl } = await unlessAborted(ports.session.findFor(teamId), signal);
    return { serviceUrl, sessionId, teamId, recipients };
  }
  const { sender } = record.fields;
  const { accessCode } = record.secrets;
  const named = portalOf(record);
  const serviceUrl = portalService(named, ports.serviceUrl);
  const formKey = form && { formKey: await formKeyFor(ports, record, entry, form) };
  const portal = await openPortal(ports.jobs, serviceUrl, { ...named, ...(form === undefined ? {} : { form }) }, { ...formKey, signal });
  return { serviceUrl, portal: { ...portal, sender }, ...(accessCode === undefined ? {} : { accessCode }) };
}

/** Committed before the form is submitted: after a crash the same response comes again, and no second one is made. */
async function formKeyFor({ store, patchFacts }: SendPorts, record: UploadAutomation, entry: string, form: FormValues): Promise<string> {
  const of = createHash('sha256')
    .update(JSON.stringify([entry, form]))
    .digest('base64url');
  const { submitting } = record.facts;
  if (submitting?.of === of) return submitting.key;
  const key = uuid();
  store.writer.write(() => patchFacts(record.id, { submitting: { of, key } }));
  await store.writer.committed();
  return key;
}

/** Asks a person for what a form lacks. */
export function askFor(
  ports: Pick<SendPorts, 'store' | 'now'>,
  record: UploadAutomation,
  entry: string,
  fields: readonly FormField[],
): void {
  const { questions, results } = ports.store.automations;
  ports.store.writer.write(() => {
    const isNew = questions.of(record.id, entry) === null;
    questions.ask(record.id, { id: uuid(), entry, fields, askedAt: ports.now() });
    if (!isNew) return;
    const message = `The form lacks: ${fields.map(({ label, name }) => label || name).join(', ')}.`;
    results.add(record.id, { at: ports.now(), kind: 'question', name: entry, transferId: '', message });
  });
}

/** Errors that stay until a person does something. */
const personNeeded: ReadonlySet<string> = new Set([
  'session_is_nil',
  'session_expired',
  'access_code_wrong',
  'form_response_incomplete',
  'not_found',
  'not_allowed',
  'credential_invalid',
  'invalid_request',
]);

export const needsPerson = (cause: unknown): boolean => cause instanceof ApiError && personNeeded.has(cause.error);
