import type { SameShape } from '#ui/locale.ts';
import type { en } from '../../en/console/mail-preview.ts';

export const de: SameShape<typeof en> = {
  title: 'So sehen Ihre E-Mails aus',
  text: 'Mit den Einstellungen, wie sie in diesem Formular stehen. Das Paket ist ausgedacht.',
  kind: 'E-Mail',
  kinds: {
    link: 'An einen Empfänger',
    receipt: 'Quittung für den Absender',
    code: 'Code für einen Empfänger',
    downloaded: 'Wurde heruntergeladen',
    expires: 'Läuft morgen ab',
    failed: 'Etwas ist gescheitert',
    portal: 'Über einen Upload an ein Portal',
    request: 'Ein Portal bittet um Dateien',
    invitation: 'Einladung in das Team',
  },
  language: 'Sprache',
  look: 'Gezeigt',
  looks: { '600': 'Am Rechner (600 px)', '360': 'Am Telefon (360 px)', text: 'Als reiner Text' },
  invalid: 'Eine Angabe in diesem Formular stimmt noch nicht. Sobald sie stimmt, zeigt sich die E-Mail damit.',
};
