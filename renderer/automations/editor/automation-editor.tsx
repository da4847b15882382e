import { useState } from 'react';
import type { Automation, AutomationKind } from '#protocol/agent/automations/automation.ts';
import { teamChoices } from '../../send/team-choice.ts';
import { sessionOf, useSessions } from '../../session/queries.ts';
import { type Draft, draftOf, newDraft } from './draft.ts';
import { EditorForm } from './editor-form.tsx';
import { KindChoice } from './kind-choice.tsx';
import { useEditorTexts } from './texts.ts';

interface AutomationEditorProps {
  /** The automation that is changed; without one a new one is made. */
  readonly automation?: Automation;
  /** What a new one does, if that was chosen already. */
  readonly kind?: AutomationKind;
}

/** Makes or changes an automation: first what it does, then the fields of that, with a live dry run beside them. */
export default function AutomationEditor({ automation, kind }: AutomationEditorProps) {
  const texts = useEditorTexts();
  const sessions = useSessions().data ?? [];
  const teams = teamChoices(sessions);
  const begin = (of: AutomationKind): Draft =>
    newDraft(of, { teamId: teams[0]?.team.id ?? '', sender: sessionOf(sessions)?.user.email ?? '' });
  const [first, setFirst] = useState<Draft | null>(() => (automation ? draftOf(automation) : kind ? begin(kind) : null));
  const [draft, setDraft] = useState(first);
  const [isChoosing, setChoosing] = useState(draft === null);

  if (!draft || isChoosing) {
    const choose = (chosen: AutomationKind): void => {
      setFirst((before) => (before ? { ...before, kind: chosen } : begin(chosen)));
      setDraft((before) => (before ? { ...before, kind: chosen } : begin(chosen)));
      setChoosing(false);
    };
    return (
      <div className="editor">
        <header>
          <h1>{texts.title}</h1>
          <p className="hint">{texts.question}</p>
        </header>
        <KindChoice onChoose={choose} />
      </div>
    );
  }
  // The Teams of an account may be known only after the editor was opened.
  const withTeam = (one: Draft): Draft => (one.teamId === '' && teams[0] ? { ...one, teamId: teams[0].team.id } : one);
  return (
    <EditorForm
      automation={automation}
      teams={teams}
      draft={withTeam(draft)}
      isChanged={JSON.stringify(draft) !== JSON.stringify(first)}
      onChange={(change) => setDraft((before) => before && { ...before, ...change })}
      onOtherKind={automation ? null : () => setChoosing(true)}
    />
  );
}
