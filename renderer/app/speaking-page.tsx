import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { applyAppearance } from '../settings/appearance.ts';
import { browserStorage, keepLook, readLook } from '../settings/look.ts';
import { useSettings } from '../settings/queries.ts';
import { TongueContext, tongueFor } from '../words/words.ts';

/** Gives the page its language and theme: from the settings, otherwise from the browser. */
export function SpeakingPage({ children }: { children: ReactNode }) {
  const { data } = useSettings();
  const [begun] = useState(() => readLook(browserStorage()));
  const { appearance, language } = data ?? begun;
  const tongue = useMemo(() => tongueFor(language ? [language, ...navigator.languages] : navigator.languages), [language]);
  useEffect(() => {
    if (data) keepLook(browserStorage(), data);
  }, [data]);
  useEffect(() => applyAppearance(document, appearance), [appearance]);
  useEffect(() => {
    document.documentElement.lang = tongue.language;
  }, [tongue]);
  return <TongueContext value={tongue}>{children}</TongueContext>;
}
