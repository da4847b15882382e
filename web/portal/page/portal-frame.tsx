import { type ReactNode, useEffect, useState } from 'react';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import icon from '../../../resources/icon.svg';
import { inkOn } from '../../common/colour.ts';
import { LanguageChoice } from '../../common/language-choice.tsx';
import { useTongue } from '../../words/portal.ts';
import { usePlace } from './place.ts';

interface PortalFrameProps {
  /** Null while it is not known. */
  readonly portal: PublicPortal | null;
  readonly busy?: boolean;
  readonly children: ReactNode;
}

/** The Portal's colours and pictures around whatever the page has to say. */
export function PortalFrame({ portal, busy = false, children }: PortalFrameProps) {
  const { baseUrl, subdomain } = usePlace();
  const { language, words } = useTongue();
  const colour = portal?.primary_color ?? '';
  /** Pictures that did not come: better none than a torn one. */
  const [torn, setTorn] = useState<ReadonlySet<string>>(new Set());
  const tear = (address: string) => (): void => setTorn((before) => new Set([...before, address]));
  const there = (address: string | undefined): string | null => (address && !torn.has(address) ? address : null);
  const logo = there(portal?.logo_url);
  const background = there(portal?.background_url);
  useEffect(() => {
    const { style } = document.documentElement;
    if (colour === '') {
      style.removeProperty('--brand');
      style.removeProperty('--on-brand');
    } else {
      style.setProperty('--brand', colour);
      style.setProperty('--on-brand', inkOn(colour));
    }
  }, [colour]);
  /** By way of the service, so that nobody else hears of a visitor. */
  const picture = (kind: 'logo' | 'background', of: string): string => `${baseUrl}/p/${subdomain}/${kind}?${new URLSearchParams({ of })}`;
  return (
    <>
      {background ? <img className="portal-background" src={picture('background', background)} alt="" onError={tear(background)} /> : null}
      <main className="portal" aria-busy={busy}>
        <header className="portal-brand">
          {portal && logo ? (
            <img className="portal-logo" src={picture('logo', logo)} alt={portal.name} onError={tear(logo)} />
          ) : (
            <span className="brand">
              <img src={icon} width="32" height="32" alt="" />
              <span>Longshore</span>
            </span>
          )}
          <LanguageChoice language={language} label={words.chooseLanguage} />
        </header>
        {children}
      </main>
    </>
  );
}
