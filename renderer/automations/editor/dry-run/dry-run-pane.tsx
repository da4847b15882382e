import { useId } from 'react';
import type { DryRun } from '#protocol/agent/automations/dry-run.ts';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../../messages/fault-text.tsx';
import { useFormat } from '../../../messages/format.ts';
import type { Draft } from '../draft.ts';
import { fieldsOf, impliedName, problemsOf, sends } from '../fields.ts';
import { useDryRun } from '../queries.ts';
import { useEditorTexts } from '../texts.ts';
import { DryRunPackage } from './dry-run-package.tsx';
import { DryRunSkipped } from './dry-run-skipped.tsx';

const mostShown = 50;

interface DryRunPaneProps {
  readonly draft: Draft;
  /** The automation that is changed; `isChanged` once it differs from the draft. */
  readonly saved: { readonly id: string; readonly isChanged: boolean } | null;
}

/** The live dry run beside the form: what the automation would do now, as it stands there. */
export function DryRunPane({ draft, saved }: DryRunPaneProps) {
  const { dryRun: texts } = useEditorTexts();
  const fault = useFaultText();
  const id = useId();
  // Its name and whether it works change nothing of it, so they ask nothing anew. A source that lacks something is left out.
  const { name: _, sources: __, ...problems } = problemsOf(draft);
  const asked = { ...draft, name: impliedName(draft) || 'x', active: true };
  const isReady = Object.keys(problems).length === 0;
  const { data, error, isBehind, refetch } = useDryRun(
    !isReady
      ? null
      : saved && !saved.isChanged
        ? { id: saved.id }
        : { ...(saved ? { id: saved.id } : {}), kind: draft.kind, automation: fieldsOf(asked) },
  );
  return (
    <aside className="card settings-part dry-run" aria-labelledby={id}>
      <h2 id={id}>{texts.title}</h2>
      <p className="hint">{texts.nothingDone}</p>
      {!isReady ? <p className="dry-run-waits">{sends(draft) ? texts.waits : texts.waitsDownload}</p> : null}
      {isReady && error && !isBehind ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {isReady && isBehind ? (
        <p className="hint" role="status">
          {texts.loading}
        </p>
      ) : null}
      {isReady && data && !error ? (
        <div className="dry-run-found" aria-busy={isBehind}>
          <Found found={data} draft={draft} isBehind={isBehind} />
        </div>
      ) : null}
      {isReady && !isBehind ? (
        <div>
          <button type="button" className="button button-small" onClick={() => refetch()}>
            {texts.again}
          </button>
        </div>
      ) : null}
    </aside>
  );
}

function Found({ found, draft, isBehind }: { readonly found: DryRun; readonly draft: Draft; readonly isBehind: boolean }) {
  const { number, size, files } = useFormat();
  const { dryRun: texts } = useEditorTexts();
  const { packages, skipped, truncated } = found;
  const count = packages.reduce((sum, one) => sum + one.files, 0);
  const bytes = packages.reduce((sum, one) => sum + one.total_bytes, 0);
  const tell = sends(draft) ? texts.nowSends : texts.nowGets;
  return (
    <>
      <p role={isBehind ? undefined : 'status'} className="field-name">
        {packages.length > 0
          ? tell(number(packages.length), packages.length === 1, files(count), size(bytes))
          : sends(draft)
            ? texts.nothingToSend
            : texts.nothingToGet}
      </p>
      {packages.length === 0 && sends(draft) && !draft.existing ? <p className="hint">{texts.existingHint}</p> : null}
      {packages.length > 0 ? (
        <ol className="dry-run-packages">
          {packages.slice(0, mostShown).map((one, index) => (
            // Two packages may have one name.
            <DryRunPackage key={`${one.name} ${index}`} pack={one} />
          ))}
        </ol>
      ) : null}
      {packages.length > mostShown ? (
        <p className="hint">{texts.morePackages(number(packages.length - mostShown), packages.length - mostShown === 1)}</p>
      ) : null}
      <DryRunSkipped skipped={skipped} />
      {truncated ? <p className="hint">{texts.truncated}</p> : null}
    </>
  );
}
