import { useRef } from 'react';
import { limits } from '#protocol/limits.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { useLocale } from '../../messages/locale.ts';
import { baseName } from '../../paths/path-text.ts';
import type { Draft } from './draft.ts';
import type { EditorPartProps } from './editor-part.ts';
import { exampleOf, type NameToken, nameTokens, withToken } from './package-name-example.ts';
import { useEditorTexts } from './texts.ts';

const pers = ['entry', 'batch', 'marker'] as const;

/** What makes a package, and how it is called. */
export function PackageFields({ draft, onChange, errorOf }: EditorPartProps) {
  const { messages } = useLocale();
  const { pack: texts } = useEditorTexts();
  const box = useRef<HTMLDivElement>(null);
  const folder = baseName(draft.folder.trim()) || 'renders';
  const example = exampleOf(draft.packageName, { name: draft.packagePer === 'batch' ? folder : 'A001', folder, at: new Date() });

  const insert = (token: NameToken): void => {
    const input = box.current?.querySelector('input') ?? null;
    const end = draft.packageName.length;
    const { text, caret } = withToken(draft.packageName, token, input?.selectionStart ?? end, input?.selectionEnd ?? end);
    onChange({ packageName: text.slice(0, limits.nameLength) });
    requestAnimationFrame(() => {
      input?.focus();
      input?.setSelectionRange(caret, caret);
    });
  };
  return (
    <section className="card settings-part" aria-labelledby="editor-package">
      <h2 id="editor-package">{texts.title}</h2>
      <SelectField
        label={texts.per}
        value={draft.packagePer}
        onChange={(event) => onChange({ packagePer: event.target.value as Draft['packagePer'] })}
        error={errorOf('packagePer')}
      >
        {pers.map((one) => (
          <option key={one} value={one}>
            {texts.pers[one]}
          </option>
        ))}
      </SelectField>
      {draft.packagePer === 'marker' ? (
        <TextField
          label={texts.marker}
          aside={messages.send.form.optional}
          className="input mono"
          spellCheck={false}
          autoComplete="off"
          placeholder="_READY"
          value={draft.marker}
          onChange={(event) => onChange({ marker: event.target.value })}
          hint={texts.markerHint}
          error={errorOf('marker')}
        />
      ) : null}
      <div ref={box} className="name-template">
        <TextField
          label={texts.name}
          aside={messages.send.form.optional}
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.nameLength}
          placeholder="{name}"
          value={draft.packageName}
          onChange={(event) => onChange({ packageName: event.target.value })}
          hint={texts.nameHint(example)}
          error={errorOf('packageName')}
        />
        <div className="name-tokens">
          {nameTokens.map((token) => (
            <button
              key={token}
              type="button"
              className="button button-small"
              aria-label={texts.insertOf(texts.tokens[token])}
              onClick={() => insert(token)}
            >
              {texts.tokens[token]}
            </button>
          ))}
        </div>
      </div>
    </section>
  );
}
