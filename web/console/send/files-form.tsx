import { type FormEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { PortalRestrictions } from '#protocol/portal-restrictions.ts';
import { focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/send.ts';
import { en } from '../../messages/en/console/send.ts';
import { ChosenFiles } from '../../sending/files/chosen-files.tsx';
import { type Entry, mergeEntries } from '../../sending/files/entry.ts';
import { FileChooser } from '../../sending/files/file-chooser.tsx';
import type { ReadEntries } from '../../sending/files/read-entries.ts';
import { judge } from '../../sending/files/rules.ts';
import { storePackage } from '../../sending/store-package.ts';
import { useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useCreatePackage } from './create-package.ts';
import { faultsOf, hasFault } from './draft.ts';
import type { KeptDraft } from './kept-draft.ts';
import { PackageFields } from './package-fields.tsx';
import { proposedName } from './proposed-name.ts';
import { useRunningPackages, useSender } from './sender.ts';

/** A Team's own packages take whatever the service takes. */
const anything: PortalRestrictions = { maxPackageSize: 0, maxFileSize: 0, maxFileCount: 0, fileTypes: null };

/** Files of this machine, and what is said of them. */
export function FilesForm({ kept, onStarted }: { readonly kept: KeptDraft; readonly onStarted: () => void }) {
  const { messages, files, size } = useTexts({ en, de });
  const team = useTeam();
  const sender = useSender();
  const running = useRunningPackages();
  const create = useCreatePackage();
  const fault = useFaultText();
  const { draft, change, clear } = kept;
  const { entries, fields } = draft;
  const [unreadable, setUnreadable] = useState<readonly string[]>([]);
  const [judged, setJudged] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactNode>('');
  /** Whether the last try was held back by fields that are marked. */
  const [marked, setMarked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  /** Idempotency key: the same until an answer came, so that a retry makes no second package. */
  const key = useRef('');

  const judgement = useMemo(() => judge(entries, anything), [entries]);
  const proposed = proposedName(entries);
  const faults = faultsOf(fields, proposed, team, new Date());
  const gathered = (found: ReadEntries): void => {
    change((before) => ({ entries: mergeEntries(before.entries, found.entries) }));
    setUnreadable(found.unreadable);
  };
  const remove = (some: ReadonlySet<Entry>): void => change((before) => ({ entries: before.entries.filter((entry) => !some.has(entry)) }));

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setJudged(true);
    setProblem('');
    setMarked(false);
    if (entries.length === 0 || judgement.faults.size > 0 || hasFault(faults)) {
      setMarked(true);
      focusFirstError(form.current, '.notice-bad button');
      return;
    }
    setBusy(true);
    key.current ||= crypto.randomUUID();
    try {
      const made = await create(fields, proposed, key.current);
      const { stored, items } = await storePackage(
        sender.store,
        { id: made.id, portalId: sender.sender, token: '', name: made.name, sender: made.sender, begunAt: Date.now() },
        entries,
      );
      const toSend = { stored: { ...stored, token: made.access_token }, items, release: () => undefined };
      running.start(sender, toSend, { teamId: team.id, asLink: fields.way === 'link' });
      clear();
      onStarted();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'service_unreachable') key.current = '';
      setProblem(fault(error));
      setBusy(false);
    }
  };

  return (
    <form ref={form} className="panel send-form" noValidate aria-busy={busy} onSubmit={submit}>
      <section className="form" aria-labelledby="send-files">
        <h2 id="send-files">{messages.files}</h2>
        <FileChooser
          small={entries.length > 0}
          labels={{ files: messages.chooseFiles, folder: messages.chooseFolder }}
          invalid={judged && entries.length === 0 ? messages.wrong.noFiles : null}
          onEntries={gathered}
        />
        {unreadable.length > 0 ? <Notice tone="warn">{messages.unreadable(files(unreadable.length), unreadable[0]!)}</Notice> : null}
        {entries.length > 0 ? <ChosenFiles entries={entries} judgement={judgement} restrictions={anything} onRemove={remove} /> : null}
      </section>
      <section className="form" aria-labelledby="send-details">
        <h2 id="send-details">{messages.details}</h2>
        <PackageFields
          draft={fields}
          onChange={(changes) => change((before) => ({ fields: { ...before.fields, ...changes } }))}
          passwordLost={draft.passwordLost}
          proposed={proposed}
          faults={judged ? faults : null}
        />
      </section>
      {problem === '' && !marked ? null : <Notice tone="bad">{marked ? messages.wrong.summary : problem}</Notice>}
      <p className="hint">{messages.keepOpen}</p>
      <button type="submit" className="button button-primary send-button" disabled={busy}>
        {busy
          ? messages.starting
          : judgement.files > 0
            ? messages.send(files(judgement.files), size(judgement.bytes))
            : messages.sendNothing}
      </button>
    </form>
  );
}
