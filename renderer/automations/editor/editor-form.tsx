import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { limits } from '#protocol/limits.ts';
import { CheckField, focusFirstError, TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { goTo, type Route } from '../../app/route.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { faultText, plainText } from '../../messages/localized-text.ts';
import type { TeamChoice } from '../../send/team-choice.ts';
import type { Draft } from './draft.ts';
import { DryRunPane } from './dry-run/dry-run-pane.tsx';
import { faultyField } from './faulty-field.ts';
import { impliedName, problemsOf, sends } from './fields.ts';
import { PackageFields } from './package-fields.tsx';
import { PatternFields } from './pattern-fields.tsx';
import { PortalSource } from './portal-source.tsx';
import { PortalTarget } from './portal-target.tsx';
import { useSaveAutomation } from './queries.ts';
import { TargetFolder } from './target-folder.tsx';
import { TeamTarget } from './team-target.tsx';
import { useEditorTexts } from './texts.ts';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { WatchedFolder } from './watched-folder.tsx';
import { WhenFields } from './when-fields.tsx';

interface EditorFormProps {
  readonly automation: Automation | undefined;
  readonly teams: readonly TeamChoice[];
  readonly draft: Draft;
  readonly isChanged: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Null where the kind stays. */
  readonly onOtherKind: (() => void) | null;
}

/** The fields of an automation's kind, and the dry run beside them. */
export function EditorForm({ automation, teams, draft, isChanged, onChange, onOtherKind }: EditorFormProps) {
  const { messages } = useLocale();
  const texts = useEditorTexts();
  const fault = useFaultText();
  const form = useRef<HTMLFormElement>(null);
  const save = useSaveAutomation(automation);
  const [judged, setJudged] = useState(false);
  const problems = problemsOf(draft);
  const faulty = save.error ? faultyField(save.error, draft) : null;

  // Once the refusal is shown.
  useEffect(() => {
    if (save.error) focusFirstError(form.current);
  }, [save.error]);

  const errorOf = (field: keyof Draft): string | null => {
    if (field === faulty) return plainText(faultText(save.error, messages));
    const problem = problems[field];
    return judged && problem ? texts.problems[problem] : null;
  };
  const change = (part: Partial<Draft>): void => {
    if (save.error) save.reset();
    onChange(part);
  };
  const back: Route = automation ? { name: 'automation', id: automation.id } : { name: 'automations' };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setJudged(true);
    if (Object.keys(problems).length > 0) focusFirstError(form.current);
    else save.mutate(draft, { onSuccess: ({ id }) => goTo({ name: 'automation', id }, automation !== undefined) });
  };
  const part = { draft, onChange: change, errorOf };
  return (
    <div className="editor">
      <UnsavedGuard isChanged={isChanged && !save.isPending && !save.isSuccess} />
      <header>
        <h1>{automation ? texts.changing(automation.name) : texts.title}</h1>
        <p className="hint">
          {texts.whole[draft.kind]}{' '}
          {onOtherKind ? (
            <button type="button" className="button-link" onClick={onOtherKind}>
              {texts.otherKind}
            </button>
          ) : null}
        </p>
      </header>
      <div className="editor-columns">
        <form ref={form} className="editor-form" noValidate onSubmit={submit}>
          {sends(draft) ? <WatchedFolder {...part} /> : <PortalSource {...part} teams={teams} />}
          {draft.kind === 'team_upload' ? <TeamTarget {...part} teams={teams} /> : null}
          {draft.kind === 'portal_upload' ? <PortalTarget {...part} automation={automation} /> : null}
          {sends(draft) ? <PackageFields {...part} /> : <TargetFolder {...part} />}
          <section className="card settings-part" aria-label={texts.files.title}>
            <PatternFields {...part} />
            <WhenFields {...part} />
          </section>
          <section className="card settings-part" aria-labelledby="editor-end">
            <h2 id="editor-end">{texts.end.title}</h2>
            <TextField
              label={texts.end.name}
              autoComplete="off"
              maxLength={limits.nameLength}
              value={draft.name ?? impliedName(draft)}
              onChange={(event) => change({ name: event.target.value })}
              error={errorOf('name')}
            />
            <CheckField
              label={automation ? texts.end.activeChange : texts.end.active}
              checked={draft.active}
              onChange={(event) => change({ active: event.target.checked })}
            />
            {save.error && faulty === null ? <Notice tone="bad">{fault(save.error)}</Notice> : null}
            <div className="editor-actions">
              <button type="button" className="button" onClick={() => goTo(back)}>
                {messages.app.cancel}
              </button>
              <button type="submit" className="button button-primary" disabled={save.isPending}>
                {save.isPending ? texts.end.saving : automation ? texts.end.save : texts.end.make}
              </button>
            </div>
          </section>
        </form>
        <DryRunPane draft={draft} saved={automation ? { id: automation.id, isChanged } : null} />
      </div>
    </div>
  );
}
