import type { SameShape } from '#ui/locale.ts';
import { automationEditor as de } from '../../messages/de/automation-editor.ts';
import { automationEditor as en } from '../../messages/en/automation-editor.ts';
import { useLocale } from '../../messages/locale.ts';

export type EditorTexts = SameShape<typeof en>;

const texts: Readonly<Record<'en' | 'de', EditorTexts>> = { en, de };

/** The editor's messages. They come with the editor's code, so that the page's first load is without them. */
export const useEditorTexts = (): EditorTexts => texts[useLocale().language];
