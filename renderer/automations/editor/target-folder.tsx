import { CheckField, OptionsField, SelectField } from '#ui/field.tsx';
import { FolderField } from '../../paths/folder-field.tsx';
import { baseName } from '../../paths/path-text.ts';
import type { Draft, Subfolder } from './draft.ts';
import type { EditorPartProps } from './editor-part.ts';
import { useEditorTexts } from './texts.ts';

const subfolders = ['portal', 'sender', 'date'] as const satisfies readonly Subfolder[];
const afterwards = ['keep', 'archive', 'delete'] as const;

/** The folder that receives packages, the folders in it, and what becomes of a package at the service. */
export function TargetFolder({ draft, onChange, errorOf }: EditorPartProps) {
  const { target: texts } = useEditorTexts();
  const example = [
    baseName(draft.dstFolder.trim()) || '…',
    ...draft.subfolders.map((one) => texts.example[one]),
    ...(draft.createPackageFolder ? [texts.example.package] : []),
    texts.example.file,
  ].join(' / ');
  return (
    <section className="card settings-part" aria-labelledby="editor-target">
      <h2 id="editor-target">{texts.title}</h2>
      <FolderField
        label={texts.label}
        value={draft.dstFolder}
        onChange={(dstFolder) => onChange({ dstFolder })}
        hint={texts.hint}
        error={errorOf('dstFolder')}
      />
      <CheckField
        label={texts.packageFolder}
        checked={draft.createPackageFolder}
        onChange={(event) => onChange({ createPackageFolder: event.target.checked })}
      />
      <OptionsField label={texts.subfolders} multiple error={errorOf('subfolders')}>
        {subfolders.map((one) => (
          <label key={one} className="check">
            <input
              type="checkbox"
              checked={draft.subfolders.includes(one)}
              onChange={({ target }) =>
                onChange({ subfolders: target.checked ? [...draft.subfolders, one] : draft.subfolders.filter((other) => other !== one) })
              }
            />
            <span>{texts.subfolder[one]}</span>
          </label>
        ))}
      </OptionsField>
      <p className="hint" aria-live="polite">
        {texts.subfoldersHint(example)}
      </p>
      <SelectField
        label={texts.afterwards}
        value={draft.afterwards}
        hint={draft.afterwards === 'keep' ? undefined : texts.afterwardsHint}
        onChange={(event) => onChange({ afterwards: event.target.value as Draft['afterwards'] })}
      >
        {afterwards.map((one) => (
          <option key={one} value={one}>
            {texts.afterwardsOf[one]}
          </option>
        ))}
      </SelectField>
    </section>
  );
}
