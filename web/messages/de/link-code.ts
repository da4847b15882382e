import type { LinkCodeMessages } from '../en/link-code.ts';

export const de: LinkCodeMessages = {
  title: 'Diese Dateien sind für eine Person',
  ask: 'Der Link ging an eine E-Mail-Adresse. Um zu sehen, dass sie Ihre ist, senden wir einen Code dorthin.',
  mailIt: 'Code zusenden',
  mailing: 'Wird gesendet …',
  sent: (address) => `Wir haben einen Code an ${address} gesendet. Er gilt 10\u00a0Minuten.`,
  sentBefore: 'Gerade eben ging ein Code hinaus. Schauen Sie in Ihr Postfach: Er gilt 10\u00a0Minuten.',
  notThere: 'Nichts da? Schauen Sie in den Spam-Ordner, und ob die Adresse oben Ihre ist.',
  notThereBefore: 'Nichts da? Schauen Sie in den Spam-Ordner.',
  label: 'Code',
  open: 'Öffnen',
  opening: 'Wird geöffnet …',
  again: 'Neuen Code zusenden',
  againIn: (time) => `Neuer Code in ${time}`,
  incomplete: 'Der Code hat 8 Ziffern.',
  wrong: 'Dieser Code stimmt nicht. Es gilt nur der zuletzt gesendete.',
  over: 'Dieser Code gilt nicht mehr: Er wurde benutzt, ist älter als 10\u00a0Minuten, oder es wurde zu oft geraten. Lassen Sie sich einen neuen senden.',
  tooMany: (time) => `Es gingen zu viele Codes hinaus. Der nächste geht in ${time}.`,
  failed: (reason) => `Der Code konnte nicht gesendet werden. ${reason}`,
};
