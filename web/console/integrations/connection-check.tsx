import { CheckIcon, CloseIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useSentences } from '../ui/use-sentences.ts';
import type { ShownStep } from './check-progress.ts';
import type { Check } from './use-check.ts';

/** Tries a connection for real, and shows each step while it runs, with what the provider said. */
export function ConnectionCheck({ check: { progress, isRunning, error, start, stop } }: { readonly check: Check }) {
  const { messages } = useTexts({ en, de });
  const fault = useFaultText();
  const translate = useSentences();
  const folders = progress?.folders ?? [];
  const check = progress?.check ?? null;
  return (
    <section className="panel" aria-busy={isRunning}>
      <div className="panel-head">
        <h2>{messages.check}</h2>
        {isRunning ? (
          <button type="button" className="button" onClick={stop}>
            {messages.checkStop}
          </button>
        ) : (
          <button type="button" className="button button-primary" onClick={() => void start()}>
            {messages.check}
          </button>
        )}
      </div>
      <p className="hint">{messages.checkText}</p>
      {progress && !error ? (
        <p role="status">
          {isRunning ? (
            messages.checking
          ) : (
            <strong>{check ? (check.ok ? messages.checkOk : messages.checkBad) : messages.checkStopped}</strong>
          )}
        </p>
      ) : null}
      {folders.map(({ folder, steps }, index) => (
        <div key={`${index}-${folder}`} className="check-folder">
          {folders.length > 1 ? (
            <h3>
              {messages.checkFolder} <bdi className="mono">{folder}/</bdi>
            </h3>
          ) : null}
          <ol className="check-steps">
            {steps.map((step, at) => (
              <Step key={`${at}-${step.step}`} {...step} isRunning={isRunning} />
            ))}
          </ol>
        </div>
      ))}
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {check?.notes.map((note) => (
        <Notice key={note} tone="plain">
          {translate(note)}
        </Notice>
      ))}
    </section>
  );
}

function Step({ step, result, isRunning }: ShownStep & { readonly isRunning: boolean }) {
  const { messages } = useTexts({ en, de });
  const translate = useSentences();
  const text = (state: string) => `${messages.steps[step]}: ${state}`;
  if (!result) {
    return (
      <li className={isRunning ? 'step-running' : ''}>
        <span className="step-mark" aria-hidden="true" />
        <span>{text(isRunning ? messages.stepRunning : messages.stepStopped)}</span>
      </li>
    );
  }
  const { ok, message } = result;
  return (
    <li className={ok ? 'step-ok' : 'step-bad'}>
      {ok ? <CheckIcon /> : <CloseIcon />}
      <span>{text(ok ? messages.stepOk : messages.stepBad)}</span>
      {message === '' ? null : <span className="hint">{translate(message)}</span>}
    </li>
  );
}
