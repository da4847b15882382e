import type { PackageMessageKind } from '../database/schema/messages.ts';
import { cleanLines, oneLine } from './clean.ts';
import { formatContent, formatMoment } from './format.ts';
import type { MailLanguage } from './language.ts';
import { packageMessages } from './messages.ts';

/** The content of a message, before it becomes plain text or HTML. Sanitised, not escaped. */
export interface Letter {
  readonly subject: string;
  readonly heading: string;
  readonly opening: string;
  readonly facts: readonly Fact[];
  /** The sender's own text. */
  readonly note: { readonly title: string; readonly lines: readonly string[] } | null;
  /** A form's answers. */
  readonly form: { readonly title: string; readonly answers: readonly Answer[] } | null;
  readonly link: string | null;
  /** The button's text, where there is a link. */
  readonly button: string;
  readonly closing: string;
  /** Below the closing: the page that turns such messages off. */
  readonly stop?: { readonly label: string; readonly link: string };
  readonly language: MailLanguage;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

interface Answer {
  readonly label: string;
  readonly lines: readonly string[];
}

/** Facts as in the database; any of them may be written by strangers. */
export interface LetterFacts {
  readonly kind: PackageMessageKind;
  readonly packageName: string;
  readonly description: string;
  readonly sender: string;
  /** For a package received through a Portal. The Portal's name, or the Team's after the Portal is deleted. */
  readonly portal: { readonly name: string; readonly copy: boolean } | null;
  readonly recipients: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** Null: never. */
  readonly expiry: Date | null;
  readonly passwordNeeded: boolean;
  readonly link: string | null;
  readonly form: { readonly name: string; readonly answers: readonly { readonly label: string; readonly text: string }[] } | null;
}

/** Longer subjects are truncated by mail programs anyway. */
const subjectNameLength = 120;
const namedRecipients = 20;
/** Maximum lines of the note and of one answer; mail programs truncate longer messages themselves. */
const maxLines = 400;

/** The message to a recipient, or to the sender, of a finalized package. Pure. */
export function letterFor(facts: LetterFacts, language: MailLanguage): Letter {
  return facts.kind === 'receipt' ? receipt(facts, language) : notification(facts, language);
}

function notification(facts: LetterFacts, language: MailLanguage): Letter {
  const messages = packageMessages[language];
  const name = oneLine(facts.packageName);
  const sender = oneLine(facts.sender);
  const portal = facts.portal && oneLine(facts.portal.name);
  const shortName = oneLine(name, subjectNameLength);
  const { labels } = messages;
  const note = cleanLines(facts.description).slice(0, maxLines);
  return {
    subject: portal === null ? messages.link.subject(sender, shortName) : messages.upload.subject(oneLine(portal, 80), shortName),
    heading: name,
    opening:
      portal === null
        ? messages.link.opening(sender)
        : `${messages.upload.opening(sender, portal)}${facts.portal?.copy ? ` ${messages.upload.copy}` : ''}`,
    facts: [
      { label: labels.from, value: sender },
      { label: labels.content, value: formatContent(facts.files, facts.bytes, language) },
      { label: labels.expires, value: formatExpiry(facts.expiry, language) },
      ...(facts.passwordNeeded
        ? [{ label: labels.password, value: portal === null ? messages.passwordNeeded : messages.passwordOfTeam }]
        : []),
    ],
    note: note.length === 0 ? null : { title: labels.note(sender), lines: note },
    form: facts.form && {
      title: oneLine(facts.form.name) || labels.form,
      answers: facts.form.answers.map(({ label, text }) => ({ label: oneLine(label), lines: cleanLines(text).slice(0, maxLines) })),
    },
    link: facts.link,
    button: messages.download,
    closing: portal === null ? messages.link.closing(sender) : messages.upload.closing(portal),
    language,
  };
}

/**
 * A Portal's sender states an address that nobody has verified, and must not be able to send own text to it through
 * us. So this receipt contains no text from the sender, not even the package's name.
 */
function receipt(facts: LetterFacts, language: MailLanguage): Letter {
  const messages = packageMessages[language];
  const name = oneLine(facts.packageName);
  const portal = facts.portal && oneLine(facts.portal.name);
  const { labels } = messages;
  const common = { note: null, form: null, link: null, button: messages.download, language } as const;
  const after = [
    { label: labels.content, value: formatContent(facts.files, facts.bytes, language) },
    { label: labels.expires, value: formatExpiry(facts.expiry, language) },
  ];
  if (portal !== null) {
    return {
      ...common,
      subject: messages.uploadReceipt.subject(oneLine(portal, 80)),
      heading: messages.uploadReceipt.heading,
      opening: messages.uploadReceipt.opening(portal),
      facts: [{ label: labels.uploadedTo, value: portal }, ...after],
      closing: messages.uploadReceipt.closing,
    };
  }
  return {
    ...common,
    subject: messages.receipt.subject(oneLine(name, subjectNameLength)),
    heading: name,
    opening: messages.receipt.opening,
    facts: [{ label: labels.to, value: formatRecipients(facts.recipients, language) }, ...after],
    closing: messages.receipt.closing,
  };
}

const formatExpiry = (at: Date | null, language: MailLanguage): string =>
  at === null ? packageMessages[language].neverExpires : formatMoment(at, language);

function formatRecipients(recipients: readonly string[], language: MailLanguage): string {
  const named = recipients.slice(0, namedRecipients).map((address) => oneLine(address));
  const others = recipients.length - named.length;
  return [...named, ...(others > 0 ? [packageMessages[language].more(others)] : [])].join(', ');
}
