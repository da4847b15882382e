import { createElement, type ReactElement } from 'react';
import type { SameShape } from '#ui/locale.ts';
import { type Texts, useShellTexts, useTexts } from './texts.ts';

interface Catalogues<Messages> {
  readonly en: Messages;
  readonly de: SameShape<Messages>;
}

/** Says something in the language that it is given, with the texts that all views share beside. */
type Words<Messages> = (texts: Texts<SameShape<Messages>>, shell: ReturnType<typeof useShellTexts>['messages']) => string;

/** Words that follow the language for as long as they are seen: what is told of something may outlive the view that told it. */
export const textIn = <Messages>(catalogues: Catalogues<Messages>, words: Words<Messages>): ReactElement =>
  createElement(TextIn<Messages>, { catalogues, words });

function TextIn<Messages>({ catalogues, words }: { readonly catalogues: Catalogues<Messages>; readonly words: Words<Messages> }): string {
  const texts = useTexts(catalogues);
  const { messages: shell } = useShellTexts();
  return words(texts, shell);
}
