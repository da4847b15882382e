import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { SsoFinished } from '#protocol/hosted/sso-sign-in.ts';
import { isSsoRefusal } from '#protocol/sso-refusals.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso-sign-in.ts';
import { en } from '../../messages/en/console/sso-sign-in.ts';
import { accountKey } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { FullPage } from '../app/full-page.tsx';
import { teamIn } from '../app/team-in.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultSentence } from '../ui/fault-text.ts';
import { appAddress, appRefusal, leaveFor, rememberApp, rememberedApp, ssoSignInCalls } from './calls.ts';
import { TrialResult } from './trial-result.tsx';

type State =
  | { readonly step: 'waiting' }
  | { readonly step: 'failed'; readonly error: unknown }
  | { readonly step: 'trial' | 'app'; readonly finished: SsoFinished };

interface FailedProps {
  readonly error: unknown;
  /** What the provider has answered. */
  readonly answer: URLSearchParams;
  readonly fault: (error: unknown) => string;
}

/** Why nobody is signed in, and the ways on: those of a program lead back to it. */
function Failed({ error, answer, fault }: FailedProps) {
  const { messages } = useTexts({ en, de });
  const [app] = useState(rememberedApp);
  const said = answer.get('error') ?? '';
  // The service has compared the answer with the sign-in that was begun here: another page's words are not shown.
  const known = error instanceof ServiceError && error.error === 'sso_refused' ? error : null;
  const ended = known && messages.ends[known.message];
  const isTheirs = known !== null && ended === undefined && isSsoRefusal(said);
  const description = isTheirs ? answer.get('error_description') : null;
  const back = app && appRefusal(app, isSsoRefusal(said) ? said : 'access_denied');
  return (
    <FullPage title={messages.failed}>
      <Notice tone="bad">{isTheirs ? messages.refusals[said] : (ended ?? fault(error))}</Notice>
      {description ? (
        <p className="hint">
          {messages.theySay} <q dir="auto">{description.slice(0, 300)}</q>
        </p>
      ) : null}
      {back ? (
        <a className="button button-primary" href={back}>
          {messages.toApp}
        </a>
      ) : null}
      <a className={back ? 'button' : 'button button-primary'} href={app ? appAddress(app) : '/sso/sign-in'}>
        {messages.again}
      </a>
      {app ? null : (
        <p className="hint">
          <a href="/sign-in">{messages.byPassword}</a>
        </p>
      )}
    </FullPage>
  );
}

/** Where the provider sends the browser back: ends the sign-in, and goes on. */
export function Callback({ teamId }: { readonly teamId: string }) {
  const { messages } = useTexts({ en, de });
  const api = useApi(ssoSignInCalls);
  const cache = useQueryClient();
  const fault = useFaultSentence();
  const [answer] = useState(() => location.search.slice(1));
  const [state, setState] = useState<State>({ step: 'waiting' });
  useEffect(() => {
    // What the provider has answered is good once, and has no business in the history.
    history.replaceState(history.state, '', location.pathname);
    const finish = async (): Promise<void> => {
      const finished = await api.call('finishSso', { body: { team_id: teamId, answer } });
      rememberApp(null);
      if (finished.trial) return setState({ step: 'trial', finished });
      if (finished.app_redirect !== undefined) {
        setState({ step: 'app', finished });
        return leaveFor(finished.app_redirect);
      }
      // What was loaded for somebody else who was signed in here before.
      cache.clear();
      cache.setQueryData(accountKey, await api.call('currentUser', { query: { watch: teamIn(finished.next) } }));
      goTo(finished.next, { replace: true });
    };
    finish().catch((error: unknown) => setState({ step: 'failed', error }));
  }, [api, cache, teamId, answer]);

  if (state.step === 'trial') return <TrialResult trial={state.finished.trial!} next={state.finished.next} />;
  if (state.step === 'failed') return <Failed error={state.error} answer={new URLSearchParams(answer)} fault={fault} />;
  return (
    <FullPage title={messages.title}>
      <p role="status">{state.step === 'app' ? messages.backToApp : messages.finishing}</p>
    </FullPage>
  );
}
