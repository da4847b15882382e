import { SelectField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import type { TeamChoice } from '../../send/team-choice.ts';
import type { EditorPartProps } from './editor-part.ts';
import { useEditorTexts } from './texts.ts';

/** The Team. A Team of several accounts stands there once. */
export function TeamField({ draft, onChange, errorOf, teams }: EditorPartProps & { readonly teams: readonly TeamChoice[] }) {
  const texts = useEditorTexts();
  const all = new Map(teams.map(({ team }) => [team.id, team.name]));
  if (all.size === 0 && draft.teamId === '') return <Notice tone="warn">{texts.noTeam}</Notice>;
  return (
    <SelectField
      label={texts.to.team}
      value={draft.teamId}
      onChange={(event) => onChange({ teamId: event.target.value, portalId: '' })}
      error={errorOf('teamId')}
    >
      {all.has(draft.teamId) ? null : <option value={draft.teamId}>{draft.teamId}</option>}
      {[...all].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
