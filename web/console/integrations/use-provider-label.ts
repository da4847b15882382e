import { useCallback } from 'react';
import { providerLabels, providerNames } from '../../messages/de/console/provider-fields.ts';
import { useShellTexts } from '../app/texts.ts';

/** A label or a name of the catalogue of providers, in the person's language where there is one for it. */
export function useProviderLabel(): (label: string) => string {
  const { language } = useShellTexts();
  return useCallback((label) => (language === 'de' ? (providerLabels[label] ?? providerNames[label] ?? label) : label), [language]);
}
