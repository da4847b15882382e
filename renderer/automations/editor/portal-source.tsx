import { SelectField, TextField } from '#ui/field.tsx';
import { useLocale } from '../../messages/locale.ts';
import { faultText, plainText } from '../../messages/localized-text.ts';
import type { TeamChoice } from '../../send/team-choice.ts';
import { type Draft, localDay } from './draft.ts';
import type { EditorPartProps } from './editor-part.ts';
import { useTeamPortals } from './queries.ts';
import { TeamField } from './team-field.tsx';
import { useEditorTexts } from './texts.ts';

/** The Team and Portal that packages are got from, and since when. */
export function PortalSource(props: EditorPartProps & { readonly teams: readonly TeamChoice[] }) {
  const { draft, onChange, errorOf } = props;
  const { source: texts, ...rest } = useEditorTexts();
  const begins = draft.since === 'now' || draft.since === 'all' ? draft.since : 'day';
  return (
    <section className="card settings-part" aria-labelledby="editor-source">
      <h2 id="editor-source">{texts.title}</h2>
      <TeamField {...props} />
      {draft.kind === 'portal_download' && (draft.teamId !== '' || props.teams.length > 0) ? <PortalField {...props} /> : null}
      <SelectField
        label={texts.since}
        value={begins}
        onChange={({ target }) =>
          onChange({
            since: target.value === 'day' ? (localDay(new Date().toISOString()) as Draft['since']) : (target.value as 'now' | 'all'),
          })
        }
      >
        {(['now', 'all', 'day'] as const).map((one) => (
          <option key={one} value={one}>
            {texts.sinces[one]}
          </option>
        ))}
      </SelectField>
      {begins === 'day' ? (
        <TextField
          label={texts.sinceDay}
          type="date"
          value={draft.since}
          onChange={(event) => onChange({ since: event.target.value as Draft['since'] })}
          error={errorOf('since') ?? (draft.since === '' ? rest.problems.dayBad : null)}
        />
      ) : null}
    </section>
  );
}

function PortalField({ draft, onChange, errorOf }: EditorPartProps) {
  const { messages } = useLocale();
  const { source: texts } = useEditorTexts();
  const { data, error, isLoading } = useTeamPortals(draft.teamId);
  const isListed = data?.some(({ id }) => id === draft.portalId) ?? false;
  return (
    <SelectField
      label={texts.portal}
      value={draft.portalId}
      onChange={(event) => onChange({ portalId: event.target.value })}
      hint={isLoading ? texts.portalsLoading : data?.length === 0 ? texts.portalsNone : undefined}
      error={errorOf('portalId') ?? (error ? plainText(faultText(error, messages)) : null)}
    >
      <option value="">{texts.portalChoose}</option>
      {draft.portalId !== '' && !isListed ? <option value={draft.portalId}>{isLoading ? texts.portalsLoading : texts.other}</option> : null}
      {(data ?? []).map(({ id, name, active }) => (
        <option key={id} value={id}>
          {active ? name : texts.closed(name)}
        </option>
      ))}
    </SelectField>
  );
}
