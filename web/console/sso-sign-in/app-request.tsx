import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso-sign-in.ts';
import { en } from '../../messages/en/console/sso-sign-in.ts';
import { FullPage } from '../app/full-page.tsx';
import { useTexts } from '../app/texts.ts';
import { AddressForm } from './address-form.tsx';

/** A program on this machine asks to be signed in. The service checks what it says (docs/contract/sso.md §6). */
export function AppRequest({ query }: { readonly query: URLSearchParams }) {
  const { messages } = useTexts({ en, de });
  const [redirect, challenge, state] = [query.get('redirect_uri'), query.get('code_challenge'), query.get('state')];
  if (redirect === null || challenge === null || state === null) {
    return (
      <FullPage title={messages.appTitle}>
        <Notice tone="bad">{messages.appIncomplete}</Notice>
      </FullPage>
    );
  }
  const app = { redirect_uri: redirect, code_challenge: challenge, state };
  return <AddressForm next="/" app={app} address={query.get('company') ?? ''} />;
}
