import { createElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Invitation } from '#protocol/hosted/invitations.ts';
import { BrandFrame } from '../common/brand-frame.tsx';
import { browserFetcher } from '../common/browser-fetcher.ts';
import { LanguageProvider } from '../common/language.tsx';
import { withVisitTrace } from '../common/visit-trace.ts';
import { LocaleContext, localeFor, useLocale } from '../messages/account.ts';
import { EmailPage } from './email-page.tsx';
import { environmentOf, type PageEnvironment, PageEnvironmentContext } from './environment.ts';
import { InvitationPage } from './invitation-page.tsx';
import { PasswordPage } from './password-page.tsx';
import { UnsubscribePage } from './unsubscribe-page.tsx';
import '../styles.css';
import './account.css';

function App({ environment }: { environment: PageEnvironment }) {
  return (
    <PageEnvironmentContext value={environment}>
      <LanguageProvider localeFor={localeFor} context={LocaleContext}>
        <Page about={environment.about} />
      </LanguageProvider>
    </PageEnvironmentContext>
  );
}

const pages = { password: PasswordPage, email: EmailPage, unsubscribe: UnsubscribePage } as const;

function Page({ about }: Pick<PageEnvironment, 'about'>) {
  const { language, messages } = useLocale();
  const [team, setTeam] = useState<Invitation['team'] | null>(null);
  // The account is nobody's but the person's: of the Team stands here what it has to say by law.
  const branding = team && { ...team, primary_color: '', logo_url: '', background_url: '' };
  return (
    <BrandFrame branding={branding} picture={() => ''} language={language} chooseLanguage={messages.chooseLanguage}>
      {about === 'invitation' ? <InvitationPage onTeam={setTeam} /> : createElement(pages[about])}
    </BrandFrame>
  );
}

const environment = environmentOf(new URL(location.href), {
  fetcher: withVisitTrace(browserFetcher((input, init) => fetch(input, init))),
  language: () => document.documentElement.lang,
  forgetToken: () => history.replaceState(null, '', location.pathname),
});
// Opening another mail's link in the same tab changes only the fragment, which does not reload the page.
addEventListener('hashchange', () => location.reload());
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App environment={environment} />
  </StrictMode>,
);
