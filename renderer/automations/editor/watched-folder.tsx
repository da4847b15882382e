import { CheckField, SelectField } from '#ui/field.tsx';
import { FolderField } from '../../paths/folder-field.tsx';
import type { Draft } from './draft.ts';
import type { EditorPartProps } from './editor-part.ts';
import { useEditorTexts } from './texts.ts';

const afters = ['keep', 'move', 'delete'] as const;

/** The folder that is watched, and what becomes of what was sent. */
export function WatchedFolder({ draft, onChange, errorOf }: EditorPartProps) {
  const { folder: texts } = useEditorTexts();
  return (
    <section className="card settings-part" aria-labelledby="editor-folder">
      <h2 id="editor-folder">{texts.title}</h2>
      <FolderField
        label={texts.label}
        value={draft.folder}
        onChange={(folder) => onChange({ folder })}
        hint={texts.hint}
        error={errorOf('folder')}
      />
      <CheckField label={texts.existing} checked={draft.existing} onChange={(event) => onChange({ existing: event.target.checked })} />
      <CheckField label={texts.recursive} checked={draft.recursive} onChange={(event) => onChange({ recursive: event.target.checked })} />
      <SelectField
        label={texts.after}
        value={draft.after}
        hint={draft.after === 'keep' ? undefined : texts.afterHint}
        onChange={(event) => onChange({ after: event.target.value as Draft['after'] })}
      >
        {afters.map((one) => (
          <option key={one} value={one}>
            {texts.afters[one]}
          </option>
        ))}
      </SelectField>
      {draft.after === 'move' ? (
        <FolderField label={texts.moveTo} value={draft.moveTo} onChange={(moveTo) => onChange({ moveTo })} error={errorOf('moveTo')} />
      ) : null}
    </section>
  );
}
