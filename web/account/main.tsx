import { StrictMode, useEffect, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { BrandFrame } from '../common/brand-frame.tsx';
import { browserFetcher } from '../common/browser-fetcher.ts';
import { useWantedLanguages } from '../common/use-wanted-languages.ts';
import { LocaleContext, localeFor } from '../messages/account.ts';
import { ChooseLanguage } from '../messages/locale.ts';
import { InvitationPage } from './invitation-page.tsx';
import { PasswordPage } from './password-page.tsx';
import { type Place, PlaceContext, placeOf } from './place.ts';
import '../styles.css';
import './account.css';

function App({ place }: { place: Place }) {
  const [wanted, choose] = useWantedLanguages();
  const locale = useMemo(() => localeFor(wanted), [wanted]);
  useEffect(() => {
    document.documentElement.lang = locale.language;
  }, [locale]);
  return (
    <PlaceContext value={place}>
      <LocaleContext value={locale}>
        <ChooseLanguage value={choose}>
          <BrandFrame looks={null} picture={() => ''} language={locale.language} chooseLanguage={locale.messages.chooseLanguage}>
            {place.about === 'invitation' ? <InvitationPage /> : <PasswordPage />}
          </BrandFrame>
        </ChooseLanguage>
      </LocaleContext>
    </PlaceContext>
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
