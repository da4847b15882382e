import type { SameShape } from '#ui/locale.ts';
import type { Messages } from '../en/handover.ts';

export const de: SameShape<Messages> = {
  button: 'In der App fortsetzen',
  hint: 'Die Longshore-App macht im Hintergrund weiter, auch nach einem Neustart. Was angekommen ist, wird nicht noch einmal gesendet.',
  making: 'Einen Moment: Diese Seite hält an und vermerkt, wie weit jede Datei ist …',
  waiting: (name) => `„${name}“ wartet auf die App`,
  text: 'Öffnen Sie die App und wählen Sie dort den Ordner. Diese Seite sendet inzwischen nicht.',
  open: 'In der Longshore-App öffnen',
  paste: 'Oder, für eine App auf einem anderen Rechner: dort einfügen oder den Befehl ausführen:',
  command: 'Befehl für die App',
  copy: 'Befehl kopieren',
  copied: 'Kopiert',
  secret: 'Gilt 10 Minuten und für eine App. Wer ihn hat, kann an Ihrer Stelle weitermachen; geben Sie ihn niemandem sonst.',
  back: 'Doch hier weitermachen',
  again: 'Neuen Link erstellen',
  ended: 'Niemand hat rechtzeitig übernommen; der Link gilt nicht mehr.',
  failed: (why) => `Das ließ sich nicht übergeben: ${why}.`,
  taken: (name) => `„${name}“ geht in der App weiter`,
  takenText: 'Sie können diese Seite schließen. Sie zeigt, wie weit die App ist, und sendet nichts mehr.',
  progress: (files, total, size) => `${files} von ${total} sind angekommen, zusammen ${size}`,
  complete: (name) => `Die App hat „${name}“ gesendet`,
  completeText: (files, size) => `${files}, ${size}.`,
  gone: 'Das Paket gibt es nicht mehr.',
  more: 'Etwas anderes senden',
  elsewhere: 'Die App hat dieses Paket übernommen. Es geht dort weiter und nicht hier.',
  unanswered: (canGet) =>
    `Es hat sich keine App geöffnet? Dann ist Longshore noch nicht auf diesem Rechner: ${canGet ? 'Holen Sie sie' : 'Fragen Sie danach, wer Ihnen diese Adresse gegeben hat'}, oder nehmen Sie den Befehl unten.`,
  getApp: 'App holen',
};
