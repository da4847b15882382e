import { type ReactNode, useEffect, useState } from 'react';
import type { Language } from '#ui/locale.ts';
import icon from '../../resources/icon.svg';
import { LanguageChoice } from './language.tsx';

/** A Portal's branding: on its own page, and on download pages of packages sent through it. */
interface Branding {
  readonly name: string;
  /** `#rrggbb`, or empty. */
  readonly primary_color: string;
  readonly logo_url: string;
  readonly background_url: string;
  /** Addresses of the Team's imprint and privacy policy. */
  readonly imprint_url?: string;
  readonly privacy_url?: string;
}

interface BrandFrameProps {
  /** Null while it is loading, and where there is none. */
  readonly branding: Branding | null;
  /** The address of a picture. Pictures are loaded through the service, so that no third party learns of a visitor. */
  readonly picture: (kind: 'logo' | 'background', of: string) => string;
  readonly language: Language;
  readonly chooseLanguage: string;
  readonly busy?: boolean;
  readonly children: ReactNode;
}

/** The brand's colours and pictures around the page's content. */
export function BrandFrame({ branding, picture, language, chooseLanguage, busy = false, children }: BrandFrameProps) {
  const colour = branding?.primary_color ?? '';
  /** Pictures that failed to load: they are hidden, not shown as broken. */
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const markBroken = (address: string) => (): void => setBroken((before) => new Set([...before, address]));
  const usable = (address: string | undefined): string | null => (address && !broken.has(address) ? address : null);
  const logo = usable(branding?.logo_url);
  const background = usable(branding?.background_url);
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
      {background ? (
        <img className="frame-background" src={picture('background', background)} alt="" onError={markBroken(background)} />
      ) : null}
      <main className="frame" aria-busy={busy}>
        <header className="frame-brand">
          {branding && logo ? (
            <img className="frame-logo" src={picture('logo', logo)} alt={branding.name} onError={markBroken(logo)} />
          ) : (
            <span className="brand">
              <img src={icon} width="32" height="32" alt="" />
              <span>Longshore</span>
            </span>
          )}
          <LanguageChoice language={language} label={chooseLanguage} />
        </header>
        {children}
        {branding ? <LegalLinks branding={branding} language={language} /> : null}
      </main>
    </>
  );
}

const legalTexts = {
  en: { imprint: 'Imprint', privacy: 'Privacy', label: 'Legal' },
  de: { imprint: 'Impressum', privacy: 'Datenschutz', label: 'Rechtliches' },
} as const;

/** Links that a Team has to show on its pages. */
function LegalLinks({ branding, language }: { readonly branding: Branding; readonly language: Language }) {
  const texts = legalTexts[language];
  const links = (['imprint', 'privacy'] as const).flatMap((name) => {
    const address = branding[`${name}_url`];
    return address && /^https?:/.test(address) ? [{ name, address }] : [];
  });
  if (links.length === 0) return null;
  return (
    <footer className="frame-legal">
      <nav aria-label={texts.label}>
        {links.map(({ name, address }) => (
          <a key={name} href={address} target="_blank" rel="noopener noreferrer">
            {texts[name]}
          </a>
        ))}
      </nav>
    </footer>
  );
}

/** The linear light of an sRGB channel (0 to 255), as WCAG 2 defines it. */
function channel(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** The luminance of `#rrggbb`, from 0 (black) to 1 (white). */
export function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => channel(Number.parseInt(colour.slice(at, at + 2), 16)));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Black or white, whichever has the better contrast on a colour. One of them always has 4.5 or more. */
export function inkOn(colour: string): '#000000' | '#ffffff' {
  const light = luminance(colour);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? '#000000' : '#ffffff';
}
