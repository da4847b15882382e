import type { SameShape } from '../../locale.ts';
import type { en } from './en.ts';

export const de: SameShape<typeof en> = {
  optional: '(freiwillig)',
  choose: 'Bitte wählen …',
  problems: {
    required: 'Das wird gebraucht.',
    email: 'Das ist keine E-Mail-Adresse.',
    url: 'Das ist keine Web-Adresse. Sie beginnt mit https://.',
    number: 'Das ist keine Zahl.',
    date: 'Das ist kein Tag.',
    tooLong: (most) => `Höchstens ${most} Zeichen.`,
  },
  restrictions: {
    types: (types) => `Nur Dateien der Arten ${types}`,
    fileSize: (size) => `Je Datei höchstens ${size}`,
    fileCount: (files) => `Höchstens ${files}`,
    packageSize: (size) => `Zusammen höchstens ${size}`,
  },
  terms: { title: 'Nutzungsbedingungen', agree: 'Ich stimme zu', read: 'Bedingungen lesen', newTab: '(öffnet einen neuen Tab)' },
};
