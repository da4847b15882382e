import { formatCount } from './format.ts';
import type { MailLanguage } from './language.ts';

/** All texts of messages about packages. Values are already sanitised (clean.ts); the text and HTML parts escape them. */
interface PackageMessages {
  readonly link: {
    subject(sender: string, name: string): string;
    opening(sender: string): string;
    closing(sender: string): string;
  };
  readonly upload: {
    subject(portal: string, name: string): string;
    opening(sender: string, portal: string): string;
    readonly copy: string;
    closing(portal: string): string;
  };
  readonly receipt: { subject(name: string): string; readonly opening: string; readonly closing: string };
  readonly uploadReceipt: {
    subject(portal: string): string;
    readonly heading: string;
    opening(portal: string): string;
    readonly closing: string;
  };
  readonly labels: {
    readonly from: string;
    readonly to: string;
    readonly content: string;
    readonly expires: string;
    readonly password: string;
    readonly uploadedTo: string;
    note(sender: string): string;
    readonly form: string;
  };
  readonly neverExpires: string;
  readonly passwordNeeded: string;
  readonly passwordOfTeam: string;
  more(count: number): string;
  readonly download: string;
  readonly yes: string;
  readonly no: string;
}

const en: PackageMessages = {
  link: {
    subject: (sender, name) => `${sender} sent you “${name}”`,
    opening: (sender) => `${sender} sent you files.`,
    closing: (sender) => `You get this message because ${sender} named your address. Whoever has the link can download the files.`,
  },
  upload: {
    subject: (portal, name) => `New upload in ${portal}: “${name}”`,
    opening: (sender, portal) => `${sender} uploaded files to ${portal}.`,
    copy: 'This is a copy for you.',
    closing: (portal) =>
      `You get this message because your address is among those that ${portal} tells of uploads. Whoever has the link can download the files.`,
  },
  receipt: {
    subject: (name) => `You sent “${name}”`,
    opening: 'Your files are on their way: each recipient was sent a link.',
    closing: 'You get this message because you sent the files from your Team.',
  },
  uploadReceipt: {
    subject: (portal) => `Your upload to ${portal} has arrived`,
    heading: 'Your upload has arrived',
    opening: (portal) => `Your files have arrived at ${portal}.`,
    closing: 'You get this message because your address was given as that of the sender. If it was not you, you need not do anything.',
  },
  labels: {
    from: 'From',
    to: 'To',
    content: 'Content',
    expires: 'Available until',
    password: 'Password',
    uploadedTo: 'Uploaded to',
    note: (sender) => `${sender} writes:`,
    form: 'Form',
  },
  neverExpires: 'No end set',
  passwordNeeded: 'Needed. It is not in this message: ask the sender for it.',
  passwordOfTeam: 'Needed. It is not in this message: your Team has it.',
  more: (count) => `and ${formatCount(count, 'en')} more`,
  download: 'Download',
  yes: 'Yes',
  no: 'No',
};

const de: PackageMessages = {
  link: {
    subject: (sender, name) => `${sender} hat Ihnen „${name}“ gesendet`,
    opening: (sender) => `${sender} hat Ihnen Dateien gesendet.`,
    closing: (sender) =>
      `Sie erhalten diese Nachricht, weil ${sender} Ihre Adresse angegeben hat. Wer den Link hat, kann die Dateien herunterladen.`,
  },
  upload: {
    subject: (portal, name) => `Neuer Upload bei ${portal}: „${name}“`,
    opening: (sender, portal) => `${sender} hat Dateien bei ${portal} hochgeladen.`,
    copy: 'Dies ist eine Kopie für Sie.',
    closing: (portal) =>
      `Sie erhalten diese Nachricht, weil ${portal} Uploads auch an Ihre Adresse meldet. Wer den Link hat, kann die Dateien herunterladen.`,
  },
  receipt: {
    subject: (name) => `Sie haben „${name}“ gesendet`,
    opening: 'Ihre Dateien sind unterwegs: Alle Empfänger haben einen Link erhalten.',
    closing: 'Sie erhalten diese Nachricht, weil Sie die Dateien aus Ihrem Team gesendet haben.',
  },
  uploadReceipt: {
    subject: (portal) => `Ihr Upload bei ${portal} ist angekommen`,
    heading: 'Ihr Upload ist angekommen',
    opening: (portal) => `Ihre Dateien sind bei ${portal} angekommen.`,
    closing:
      'Sie erhalten diese Nachricht, weil Ihre Adresse als die des Absenders angegeben wurde. Wenn Sie es nicht waren, brauchen Sie nichts zu tun.',
  },
  labels: {
    from: 'Von',
    to: 'An',
    content: 'Inhalt',
    expires: 'Verfügbar bis',
    password: 'Passwort',
    uploadedTo: 'Hochgeladen bei',
    note: (sender) => `${sender} schreibt:`,
    form: 'Formular',
  },
  neverExpires: 'Kein Ende gesetzt',
  passwordNeeded: 'Erforderlich. Es steht nicht in dieser Nachricht: Fragen Sie den Absender danach.',
  passwordOfTeam: 'Erforderlich. Es steht nicht in dieser Nachricht: Ihr Team hat es.',
  more: (count) => `und ${formatCount(count, 'de')} weitere`,
  download: 'Herunterladen',
  yes: 'Ja',
  no: 'Nein',
};

export const packageMessages: Readonly<Record<MailLanguage, PackageMessages>> = { en, de };
