import type { SameShape } from '#ui/locale.ts';
import type { handovers as en } from '../en/handovers.ts';

export const handovers: SameShape<typeof en> = {
  title: 'Hier weiter senden',
  titleDownload: 'Hier weiter herunterladen',
  looking: 'Der Dienst wird gefragt, was begonnen wurde …',
  upload: (files, size, sent) =>
    sent === ''
      ? `${files}, ${size}. Was angekommen ist, wird nicht noch einmal gesendet.`
      : `${files}, ${size}. Schon gesendet: ${sent}. Von den anderen wird nichts noch einmal gesendet, was angekommen ist.`,
  download:
    'Der Browser hat begonnen, dieses Paket herunterzuladen. Was er gespeichert hat, ist hier nicht bekannt; deshalb wird alles geholt, was gewählt war.',
  chosen: (files) => `Gewählt: ${files}.`,
  names: (names) => `Darin: ${names}`,
  from: 'Wo liegen diese Dateien?',
  fromHint: 'Der Ordner, in dem sie liegen, auf dem Rechner dieses Agenten. Gesendet wird nur, was der Browser hatte, und nur unverändert.',
  toHint: 'Auf dem Rechner dieses Agenten.',
  matching: 'Die Dateien werden gesucht …',
  found: (files) => `So wie im Browser gefunden: ${files}.`,
  noneFound: 'Keine dieser Dateien liegt dort so, wie sie im Browser war. Wählen Sie einen anderen Ordner.',
  others: (changed, missing) =>
    `Seitdem verändert: ${changed}. Nicht dort: ${missing}. Davon wird nichts gesendet; danach können Sie es neu senden oder ohne es abschließen.`,
  changed: 'verändert',
  missing: 'nicht da',
  more: (count) => `und ${count} weitere`,
  begin: 'Hier fortsetzen',
  beginning: 'Wird übernommen …',
};
