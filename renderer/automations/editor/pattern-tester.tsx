import { useId, useState } from 'react';
import { TextAreaField } from '#ui/field.tsx';
import { CheckIcon, CloseIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import type { Draft } from './draft.ts';
import { patternsIn } from './fields.ts';
import { useTestedPatterns } from './queries.ts';
import { useEditorTexts } from './texts.ts';

const firstNames = 'A001.mov\nA001_proxy.mov\nreports/day-12.pdf\nA002.mov.part';
const mostNames = 1_000;

/** Says of names whether the draft's patterns take them, and which pattern decides. */
export function PatternTester({ draft }: { readonly draft: Draft }) {
  const { files: texts } = useEditorTexts();
  const fault = useFaultText();
  const id = useId();
  const [names, setNames] = useState(firstNames);
  const { data, error } = useTestedPatterns({
    include: patternsIn(draft.include),
    exclude: patternsIn(draft.exclude),
    not_ready: patternsIn(draft.notReady),
    ...(draft.folder.trim() === '' ? {} : { folder: draft.folder.trim() }),
    names: patternsIn(names).slice(0, mostNames),
  });
  return (
    <section className="pattern-tester" aria-labelledby={id}>
      <p className="field-name" id={id}>
        {texts.test}
      </p>
      <TextAreaField
        label={texts.testNames}
        className="input mono"
        spellCheck={false}
        rows={4}
        value={names}
        onChange={(event) => setNames(event.target.value)}
        hint={texts.testHint}
      />
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      <ul aria-label={texts.test} aria-live="polite">
        {(data?.results ?? []).map(({ name, sent, by }) => (
          <li key={name} className={sent ? 'good' : 'bad'}>
            {sent ? <CheckIcon /> : <CloseIcon />}
            <span className="mono" dir="ltr">
              {name}
            </span>
            <span className="hint">{[sent ? texts.testSent : texts.testLeft, by ? texts.testBy(by) : ''].filter(Boolean).join(' ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
