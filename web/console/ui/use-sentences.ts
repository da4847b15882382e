import { useContext, useSyncExternalStore } from 'react';
import { type Said, serviceSentences } from '../../common/service-sentences.ts';
import { LanguageContext } from '../app/texts.ts';

/** What the service says, in the person's language as far as it is known there, else as the service says it. */
export function useSentences(): Said {
  const { language } = useContext(LanguageContext);
  const said = useSyncExternalStore(serviceSentences.subscribe, serviceSentences.said, serviceSentences.said);
  return language === 'de' ? said : asItIs;
}

const asItIs: Said = (text) => text;
