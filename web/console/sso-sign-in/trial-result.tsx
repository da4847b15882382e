import { Fragment } from 'react';
import type { SsoTrial } from '#protocol/hosted/sso-sign-in.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso-sign-in.ts';
import { en } from '../../messages/en/console/sso-sign-in.ts';
import { FullPage } from '../app/full-page.tsx';
import { useShellTexts, useTexts } from '../app/texts.ts';

/** Who a trial would have signed in. */
export function TrialResult({ trial, next }: { readonly trial: SsoTrial; readonly next: string }) {
  const { messages } = useTexts({ en, de });
  const { roles } = useShellTexts().messages;
  const facts = [
    [messages.name, trial.name],
    [messages.email, trial.email],
    [messages.verified, trial.email_verified ? messages.yes : messages.no],
    [messages.groups, trial.groups.join(', ')],
    [messages.role, trial.role === 'none' ? '' : roles[trial.role]],
    [messages.subject, trial.subject],
  ] as const;
  return (
    <FullPage title={messages.trialTitle}>
      {trial.problem === '' ? (
        <Notice tone="plain">{messages.trialGood}</Notice>
      ) : (
        <Notice tone="warn">
          {messages.trialProblem} {trial.problem}
        </Notice>
      )}
      <dl className="facts">
        {facts.map(([label, value]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{value === '' ? messages.nothing : value}</dd>
          </Fragment>
        ))}
      </dl>
      <a className="button button-primary" href={next}>
        {messages.backToSettings}
      </a>
    </FullPage>
  );
}
