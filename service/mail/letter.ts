import { cleanLines, oneLine } from './clean.ts';
import { contentWords, momentWords, words } from './words.ts';

/** What a message says, before it is put in plain text or HTML. Cleaned, not escaped. */
export interface Letter {
  readonly subject: string;
  readonly heading: string;
  readonly opening: string;
  readonly facts: readonly Fact[];
  /** What the sender wrote. */
  readonly note: { readonly title: string; readonly lines: readonly string[] } | null;
  /** A form's answers. */
  readonly form: { readonly title: string; readonly answers: readonly Answer[] } | null;
  readonly link: string | null;
  readonly closing: string;
  /** `#rrggbb` of the button. */
  readonly color: string;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Answer {
  readonly label: string;
  readonly lines: readonly string[];
}

/** Facts as they stand in the database, written by anybody. */
export interface LetterFacts {
  readonly kind: 'link' | 'receipt';
  readonly packageName: string;
  readonly description: string;
  readonly sender: string;
  /** Of a package that came in through a Portal. The Portal's name, or the Team's once the Portal is deleted. */
  readonly portal: { readonly name: string; readonly color: string; readonly copy: boolean } | null;
  readonly recipients: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** Null: never. */
  readonly expiry: Date | null;
  readonly passwordNeeded: boolean;
  readonly link: string | null;
  readonly form: { readonly name: string; readonly answers: readonly { readonly label: string; readonly text: string }[] } | null;
}

const usualColor = '#1d5fbf';
/** Longer subjects are cut by readers anyway. */
const subjectNameLength = 120;
const namedRecipients = 20;
/** Of the note and of one answer; beyond, mail programs cut messages themselves. */
const maxLines = 400;

/** The message that a recipient, or the sender, of a finalized package gets. Pure. */
export function letterFor(facts: LetterFacts): Letter {
  return facts.kind === 'receipt' ? receipt(facts) : notification(facts);
}

function notification(facts: LetterFacts): Letter {
  const name = oneLine(facts.packageName);
  const sender = oneLine(facts.sender);
  const portal = facts.portal && oneLine(facts.portal.name);
  const shortName = oneLine(name, subjectNameLength);
  const { labels } = words;
  const note = cleanLines(facts.description).slice(0, maxLines);
  return {
    subject: portal === null ? words.link.subject(sender, shortName) : words.upload.subject(oneLine(portal, 80), shortName),
    heading: name,
    opening:
      portal === null
        ? words.link.opening(sender)
        : `${words.upload.opening(sender, portal)}${facts.portal?.copy ? ` ${words.upload.copy}` : ''}`,
    facts: [
      { label: labels.from, value: sender },
      { label: labels.content, value: contentWords(facts.files, facts.bytes) },
      { label: labels.expires, value: expiryWords(facts.expiry) },
      ...(facts.passwordNeeded ? [{ label: labels.password, value: portal === null ? words.passwordNeeded : words.passwordOfTeam }] : []),
    ],
    note: note.length === 0 ? null : { title: labels.note(sender), lines: note },
    form: facts.form && {
      title: oneLine(facts.form.name) || labels.form,
      answers: facts.form.answers.map(({ label, text }) => ({ label: oneLine(label), lines: cleanLines(text).slice(0, maxLines) })),
    },
    link: facts.link,
    closing: portal === null ? words.link.closing(sender) : words.upload.closing(portal),
    color: colorOf(facts.portal?.color),
  };
}

/**
 * A receipt holds no text that the sender wrote but the package's name: a Portal's sender states an address that
 * nobody has checked, and must not be able to write to it through us.
 */
function receipt(facts: LetterFacts): Letter {
  const name = oneLine(facts.packageName);
  const portal = facts.portal && oneLine(facts.portal.name);
  const shortName = oneLine(name, subjectNameLength);
  const { labels } = words;
  return {
    subject: portal === null ? words.receipt.subject(shortName) : words.uploadReceipt.subject(shortName),
    heading: name,
    opening: portal === null ? words.receipt.opening : words.uploadReceipt.opening(portal),
    facts: [
      portal === null ? { label: labels.to, value: recipientWords(facts.recipients) } : { label: labels.uploadedTo, value: portal },
      { label: labels.content, value: contentWords(facts.files, facts.bytes) },
      { label: labels.expires, value: expiryWords(facts.expiry) },
    ],
    note: null,
    form: null,
    link: null,
    closing: portal === null ? words.receipt.closing : words.uploadReceipt.closing,
    color: colorOf(facts.portal?.color),
  };
}

const expiryWords = (at: Date | null): string => (at === null ? words.neverExpires : momentWords(at));

function recipientWords(recipients: readonly string[]): string {
  const named = recipients.slice(0, namedRecipients).map((address) => oneLine(address));
  const others = recipients.length - named.length;
  return [...named, ...(others > 0 ? [words.more(others)] : [])].join(', ');
}

const colorOf = (color: string | undefined): string =>
  color !== undefined && /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : usualColor;
