import type { SameShape } from '#ui/locale.ts';
import type { open as en } from '../en/open.ts';

export const open: SameShape<typeof en> = {
  download: {
    title: 'Diese Dateien holen?',
    lead: 'Eine Seite in Ihrem Browser oder ein anderes Programm bittet Longshore, die Dateien hinter einem Link zu holen. Geholt wurde noch nichts.',
    next: (host) => `Wenn Sie weitermachen, wählen Sie den Ordner, und dieser Agent fragt ${host} nach den Dateien.`,
  },
  upload: {
    title: 'Dateien über dieses Portal senden?',
    lead: 'Eine Seite in Ihrem Browser oder ein anderes Programm bittet Longshore, Dateien über ein Portal zu senden. Gesendet wurde noch nichts.',
    next: (host) =>
      `Wenn Sie weitermachen, wählen Sie die Dateien und können alles oben noch ändern. Sie gehen an die Leute hinter diesem Portal bei ${host}.`,
  },
  handover: {
    title: 'Hier fortsetzen, was ein Browser begonnen hat?',
    lead: 'Eine Seite in Ihrem Browser oder ein anderes Programm bittet Longshore, eine Übertragung fortzusetzen. Noch ist nichts übernommen.',
    next: (host) => `Wenn Sie fortfahren, fragt dieser Agent ${host}, was begonnen wurde, und Sie wählen den Ordner.`,
  },
  service: 'Dienst',
  link: 'Link',
  portal: 'Portal',
  name: 'Paket',
  sender: 'Von',
  description: 'Nachricht',
  unknown: (host) =>
    `Bisher arbeitet dieser Agent nicht mit ${host}. Machen Sie nur weiter, wenn Sie das erwartet haben und die Adresse kennen.`,
  looking: 'Es wird nachgesehen, ob dieser Agent den Dienst kennt …',
  goOn: 'Weitermachen',
  refuse: 'Jetzt nicht',
  bad: {
    title: 'Longshore kann diese Adresse nicht öffnen',
    lead: 'Es ist nichts geschehen. Wenn Sie brauchen, wofür sie war, fragen Sie, wer sie Ihnen gegeben hat.',
    too_long: 'Sie ist weit länger, als eine solche Adresse sein kann.',
    not_an_address: 'Sie beginnt nicht so wie eine Adresse für Longshore.',
    unknown_request: 'Sie verlangt etwas, das diese Version nicht kennt. Eine neuere vielleicht.',
    unknown_field: (name) => `Sie sagt etwas, das diese Version nicht kennt: „${name}“. Eine neuere vielleicht.`,
    missing_field: (name) => `Sie sagt nicht, was sie sagen müsste: „${name}“ fehlt.`,
    bad_field: (name) =>
      `Was sie als „${name}“ angibt, ist nicht zu gebrauchen. Dienste werden nur über https erreicht, über http allein auf diesem Rechner.`,
    close: 'Schließen',
  },
};
