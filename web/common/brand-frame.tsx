import { type ReactNode, useEffect, useState } from 'react';
import type { Language } from '#ui/locale.ts';
import icon from '../../resources/icon.svg';
import { inkOn } from './colour.ts';
import { LanguageChoice } from './language.tsx';

/** A Portal's branding: on its own page, and on download pages of packages sent through it. */
export interface Looks {
  readonly name: string;
  /** `#rrggbb`, or empty. */
  readonly primary_color: string;
  readonly logo_url: string;
  readonly background_url: string;
}

interface BrandFrameProps {
  /** Null while it is loading, and where there is none. */
  readonly looks: Looks | null;
  /** The address of a picture. Pictures are loaded through the service, so that no third party learns of a visitor. */
  readonly picture: (kind: 'logo' | 'background', of: string) => string;
  readonly language: Language;
  readonly chooseLanguage: string;
  readonly busy?: boolean;
  readonly children: ReactNode;
}

/** The brand's colours and pictures around the page's content. */
export function BrandFrame({ looks, picture, language, chooseLanguage, busy = false, children }: BrandFrameProps) {
  const colour = looks?.primary_color ?? '';
  /** Pictures that failed to load: they are hidden, not shown as broken. */
  const [torn, setTorn] = useState<ReadonlySet<string>>(new Set());
  const tear = (address: string) => (): void => setTorn((before) => new Set([...before, address]));
  const there = (address: string | undefined): string | null => (address && !torn.has(address) ? address : null);
  const logo = there(looks?.logo_url);
  const background = there(looks?.background_url);
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
  return (
    <>
      {background ? <img className="frame-background" src={picture('background', background)} alt="" onError={tear(background)} /> : null}
      <main className="frame" aria-busy={busy}>
        <header className="frame-brand">
          {looks && logo ? (
            <img className="frame-logo" src={picture('logo', logo)} alt={looks.name} onError={tear(logo)} />
          ) : (
            <span className="brand">
              <img src={icon} width="32" height="32" alt="" />
              <span>Longshore</span>
            </span>
          )}
          <LanguageChoice language={language} label={chooseLanguage} />
        </header>
        {children}
      </main>
    </>
  );
}
