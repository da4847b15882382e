import type { DryRun } from '#protocol/agent/automations/dry-run.ts';
import type { FormValue } from '#protocol/hosted/forms.ts';
import { WarnIcon } from '#ui/icons.tsx';
import { useFormat } from '../../../messages/format.ts';
import { useEditorTexts } from '../texts.ts';

/** One package of a dry run: its name, its files, and the answers to its Portal's form. */
export function DryRunPackage({ pack }: { readonly pack: DryRun['packages'][number] }) {
  const { number, size, files, tag } = useFormat();
  const { dryRun: texts } = useEditorTexts();
  const missing = pack.missing_fields ?? [];
  const answers = Object.entries(pack.form ?? {}).flatMap(([name, answer]) => {
    const text = answerText(answer, texts);
    return text === '' || missing.includes(name) ? [] : [[name, text] as const];
  });
  return (
    <li className="dry-run-package">
      <p className="field-name" dir="auto">
        {pack.name}
      </p>
      {missing.length > 0 ? (
        <p className="dry-run-asks">
          <WarnIcon /> {texts.asks(new Intl.ListFormat(tag).format(missing))}
        </p>
      ) : null}
      {answers.length > 0 ? (
        <dl className="facts" aria-label={texts.answers}>
          {answers.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{text}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      <details>
        <summary className="hint">
          {files(pack.files)}, {size(pack.total_bytes)}
        </summary>
        <ul className="dry-run-paths">
          {pack.paths.map((path) => (
            <li key={path} className="mono" dir="ltr">
              {path}
            </li>
          ))}
        </ul>
        {pack.files > pack.paths.length ? <p className="hint">{texts.moreFiles(number(pack.files - pack.paths.length))}</p> : null}
      </details>
    </li>
  );
}

function answerText({ value }: FormValue, { yes, no }: { readonly yes: string; readonly no: string }): string {
  if (typeof value === 'boolean') return value ? yes : no;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
