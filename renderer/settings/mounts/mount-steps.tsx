import type { MountCheck } from '#protocol/agent/mounts.ts';
import { CheckIcon, CloseIcon } from '#ui/icons.tsx';
import { useLocale } from '../../messages/locale.ts';
import { Localized } from '../../messages/localized.tsx';
import { phraseText } from '../../messages/localized-text.ts';
import { useMountTexts } from './texts.ts';

/** What a check did in the folder, step by step. */
export function MountSteps({ check }: { readonly check: MountCheck }) {
  const { messages } = useLocale();
  const texts = useMountTexts();
  return (
    <div className="mount-steps" role="status">
      <p className="field-name">{check.ok ? texts.checked : texts.checkFailed}</p>
      <ol>
        {check.steps.map(({ step, ok, message }) => (
          <li key={step} className={ok ? 'good' : 'bad'}>
            {ok ? <CheckIcon /> : <CloseIcon />}
            <span>
              {texts.steps[step]} <span className="visually-hidden">({ok ? texts.done : texts.failed})</span>
              {message ? (
                <span className="mount-step-why">
                  <Localized text={phraseText(message, messages)} />
                </span>
              ) : null}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
