import { useQuery } from '@tanstack/react-query';
import { useCallback, useContext } from 'react';
import { inGerman, type Sentences } from '#protocol/german/in-german.ts';
import { LanguageContext } from '../app/texts.ts';

/**
 * What the service says, in the person's language as far as it is known there, else as the service says it. A view learns the
 * sentences with its first fault, so they cost no visit anything.
 */
export function useSentences(): (text: string) => string {
  const { language } = useContext(LanguageContext);
  const { data } = useQuery({
    queryKey: ['sentences', language],
    queryFn: async (): Promise<Sentences> => (await import('#protocol/german/index.ts')).germanSentences,
    enabled: language === 'de',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return useCallback((text) => (data ? (inGerman(data, text) ?? text) : text), [data]);
}
