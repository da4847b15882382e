import type { DryRun } from '#protocol/agent/automations/dry-run.ts';
import { useFormat } from '../../../messages/format.ts';
import { Localized } from '../../../messages/localized.tsx';
import { phraseText } from '../../../messages/localized-text.ts';
import { useEditorTexts } from '../texts.ts';

const mostShown = 100;

/** What a dry run leaves alone, and why. */
export function DryRunSkipped({ skipped }: Pick<DryRun, 'skipped'>) {
  const { messages, number } = useFormat();
  const { dryRun: texts } = useEditorTexts();
  if (skipped.length === 0) return null;
  return (
    <details className="more">
      <summary>{texts.skipped(number(skipped.length), skipped.length === 1)}</summary>
      <ul className="dry-run-skipped">
        {skipped.slice(0, mostShown).map(({ path, reason }) => (
          <li key={`${path} ${reason}`}>
            <span className="mono" dir="ltr">
              {path}
            </span>
            <span className="hint">
              <Localized text={phraseText(reason, messages)} />
            </span>
          </li>
        ))}
      </ul>
      {skipped.length > mostShown ? <p className="hint">{texts.moreFiles(number(skipped.length - mostShown))}</p> : null}
    </details>
  );
}
