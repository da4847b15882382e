import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SsoFinished } from '#protocol/hosted/sso-sign-in.ts';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso-sign-in.ts';
import { en } from '../../messages/en/console/sso-sign-in.ts';
import { accountKey } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { FullPage } from '../app/full-page.tsx';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { leaveFor, ssoSignInCalls } from './calls.ts';
import { TrialResult } from './trial-result.tsx';

type State =
  | { readonly step: 'waiting' }
  | { readonly step: 'failed'; readonly error: unknown }
  | { readonly step: 'trial' | 'app'; readonly finished: SsoFinished };

/** Where the provider sends the browser back: ends the sign-in, and goes on. */
export function Callback({ teamId }: { readonly teamId: string }) {
  const { messages } = useTexts({ en, de });
  const api = useApi(ssoSignInCalls);
  const cache = useQueryClient();
  const fault = useFaultText();
  const [answer] = useState(() => location.search.slice(1));
  const [state, setState] = useState<State>({ step: 'waiting' });
  useEffect(() => {
    // What the provider has answered is good once, and has no business in the history.
    history.replaceState(history.state, '', location.pathname);
    const finish = async (): Promise<void> => {
      const finished = await api.call('finishSso', { body: { team_id: teamId, answer } });
      if (finished.trial) return setState({ step: 'trial', finished });
      if (finished.app_redirect !== undefined) {
        setState({ step: 'app', finished });
        return leaveFor(finished.app_redirect);
      }
      // What was loaded for somebody else who was signed in here before.
      cache.clear();
      cache.setQueryData(accountKey, await api.call('currentUser', {}));
      goTo(finished.next, { replace: true });
    };
    finish().catch((error: unknown) => setState({ step: 'failed', error }));
  }, [api, cache, teamId, answer]);

  if (state.step === 'trial') return <TrialResult trial={state.finished.trial!} next={state.finished.next} />;
  if (state.step === 'failed') {
    return (
      <FullPage title={messages.failed}>
        <Notice tone="bad">{fault(state.error)}</Notice>
        <a className="button button-primary" href="/sso/sign-in">
          {messages.again}
        </a>
        <p className="hint">
          <a href="/sign-in">{messages.byPassword}</a>
        </p>
      </FullPage>
    );
  }
  return (
    <FullPage title={messages.title}>
      <p role="status">{state.step === 'app' ? messages.backToApp : messages.finishing}</p>
    </FullPage>
  );
}
