import { type ReactNode, useEffect } from 'react';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import icon from '../../../resources/icon.svg';
import { inkOn } from './colour.ts';
import { LanguageChoice } from './language-choice.tsx';
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
  const colour = portal?.primary_color ?? '';
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
      {portal?.background_url ? <img className="portal-background" src={picture('background', portal.background_url)} alt="" /> : null}
      <main className="portal" aria-busy={busy}>
        <header className="portal-brand">
          {portal?.logo_url ? (
            <img className="portal-logo" src={picture('logo', portal.logo_url)} alt={portal.name} />
          ) : (
            <span className="brand">
              <img src={icon} width="32" height="32" alt="" />
              <span>Longshore</span>
            </span>
          )}
          <LanguageChoice />
        </header>
        {children}
      </main>
    </>
  );
}
