import { CheckField, TextAreaField } from '#ui/field.tsx';
import { useLocale } from '../../messages/locale.ts';
import type { EditorPartProps } from './editor-part.ts';
import { sends } from './fields.ts';
import { Folded } from './folded.tsx';
import { PatternTester } from './pattern-tester.tsx';
import { useEditorTexts } from './texts.ts';

/** Which files are taken, by patterns of their paths, with a place to try them. */
export function PatternFields({ draft, onChange, errorOf }: EditorPartProps) {
  const { messages } = useLocale();
  const { files: texts } = useEditorTexts();
  const field = (name: 'include' | 'exclude' | 'notReady', label: string, hint: string) => (
    <TextAreaField
      label={label}
      aside={messages.send.form.optional}
      className="input mono"
      spellCheck={false}
      rows={2}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.target.value })}
      hint={hint}
      error={errorOf(name)}
    />
  );
  const given = [draft.include, draft.exclude, draft.notReady].some((text) => text.trim() !== '') || draft.byContent;
  return (
    <Folded
      title={texts.title}
      begins={given}
      hasError={['include', 'exclude', 'notReady'].some((name) => errorOf(name as 'include') !== null)}
    >
      {field('include', texts.include, texts.includeHint)}
      {field('exclude', texts.exclude, texts.excludeHint)}
      {sends(draft) ? (
        <>
          {field('notReady', texts.notReady, texts.notReadyHint)}
          <CheckField
            label={texts.byContent}
            hint={texts.byContentHint}
            checked={draft.byContent}
            onChange={(event) => onChange({ byContent: event.target.checked })}
          />
        </>
      ) : null}
      <PatternTester draft={draft} />
    </Folded>
  );
}
