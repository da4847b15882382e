import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrandFrame } from '../common/brand-frame.tsx';
import { browserFetcher } from '../common/browser-fetcher.ts';
import { LanguageProvider } from '../common/language.tsx';
import { LocaleContext, localeFor, useLocale } from '../messages/account.ts';
import { InvitationPage } from './invitation-page.tsx';
import { PasswordPage } from './password-page.tsx';
import { type Place, PlaceContext, placeOf } from './place.ts';
import '../styles.css';
import './account.css';

function App({ place }: { place: Place }) {
  return (
    <PlaceContext value={place}>
      <LanguageProvider localeFor={localeFor} context={LocaleContext}>
        <Page about={place.about} />
      </LanguageProvider>
    </PlaceContext>
  );
}

function Page({ about }: Pick<Place, 'about'>) {
  const { language, messages } = useLocale();
  return (
    <BrandFrame looks={null} picture={() => ''} language={language} chooseLanguage={messages.chooseLanguage}>
      {about === 'invitation' ? <InvitationPage /> : <PasswordPage />}
    </BrandFrame>
  );
}

const place = placeOf(new URL(location.href), {
  fetcher: browserFetcher((input, init) => fetch(input, init)),
  language: () => document.documentElement.lang,
  forgetToken: () => history.replaceState(null, '', location.pathname),
});
// Opening another mail's link in the same tab changes only the fragment, which does not reload the page.
addEventListener('hashchange', () => location.reload());
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App place={place} />
  </StrictMode>,
);
