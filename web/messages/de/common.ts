import type { SameShape } from '#ui/locale.ts';
import type { en } from '../en/common.ts';

export const de: SameShape<typeof en> = {
  chooseLanguage: 'Sprache',
  files: (n, one) => `${n} ${one ? 'Datei' : 'Dateien'}`,
  tryAgain: 'Noch einmal versuchen',
  unreachable: { title: 'Der Dienst antwortet nicht', text: 'Prüfen Sie die Verbindung und versuchen Sie es noch einmal.' },
  wentWrong: { title: 'Das hat nicht geklappt' },
};
