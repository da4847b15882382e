import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Connection } from '#protocol/hosted/connections.ts';
import { CheckIcon, CloseIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { connectionsKey, integrationCalls } from './calls.ts';

/** Tries a connection for real, and shows each step with what the provider said. */
export function ConnectionCheck({ connection }: { readonly connection: Connection }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(integrationCalls);
  const cache = useQueryClient();
  const fault = useFaultText();
  const check = useMutation({
    mutationFn: () => api.call('validateConnection', { params: { connection_id: connection.id } }),
    onSettled: () => cache.invalidateQueries({ queryKey: connectionsKey(team.id) }),
  });
  return (
    <section className="panel" aria-busy={check.isPending}>
      <div className="panel-head">
        <h2>{messages.check}</h2>
        <button type="button" className="button button-primary" disabled={check.isPending} onClick={() => check.mutate()}>
          {messages.check}
        </button>
      </div>
      <p className="hint">{messages.checkText}</p>
      {check.isPending ? <p role="status">{messages.checking}</p> : null}
      {check.error ? <Notice tone="bad">{fault(check.error)}</Notice> : null}
      {check.data && !check.isPending ? (
        <>
          <p role="status">
            <strong>{check.data.ok ? messages.checkOk : messages.checkBad}</strong>
          </p>
          <ol className="check-steps">
            {check.data.steps.map(({ step, ok, message }, index) => (
              <li key={`${index}-${step}`} className={ok ? 'step-ok' : 'step-bad'}>
                {ok ? <CheckIcon /> : <CloseIcon />}
                <span>
                  {messages.steps[step]}: {ok ? messages.stepOk : messages.stepBad}
                </span>
                {message === '' ? null : <span className="hint">{message}</span>}
              </li>
            ))}
          </ol>
          {check.data.notes.map((note) => (
            <Notice key={note} tone="plain">
              {note}
            </Notice>
          ))}
        </>
      ) : null}
    </section>
  );
}
