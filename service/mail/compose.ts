import type { Brand } from './brand.ts';
import { withoutEncodedWords } from './clean.ts';
import { htmlPart } from './html-part.ts';
import type { Letter } from './letter.ts';
import { textPart } from './text-part.ts';

/** The sender of messages. */
export interface MailFrom {
  /** Empty: only the address is shown. */
  readonly name: string;
  readonly address: string;
}

interface Envelope {
  readonly id: string;
  readonly at: Date;
  readonly from: MailFrom;
  readonly to: string;
  /** The address for replies. */
  readonly replyTo: string | null;
  /** The address that turns such messages off, by RFC 8058; null where nobody can. */
  readonly unsubscribe: string | null;
}

/**
 * A letter as a MIME message (plain and HTML). The same letter and envelope give the same bytes, so that a retry
 * sends an identical message: Message-ID, Date and boundary are derived from the envelope.
 */
export async function compose(letter: Letter, brand: Brand, envelope: Envelope): Promise<Buffer> {
  const { id, at, from, to, replyTo, unsubscribe } = envelope;
  // Loaded with the first message, as a start is mostly loading.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  return await new MailComposer({
    from: { ...from, name: withoutEncodedWords(from.name) },
    to: { name: '', address: to },
    ...(replyTo !== null && { replyTo: { name: '', address: replyTo } }),
    subject: withoutEncodedWords(letter.subject),
    text: textPart(letter, brand),
    html: htmlPart(letter, brand),
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    date: at,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Content-Language': letter.language,
      ...(unsubscribe !== null && { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    baseBoundary: id,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  } as ConstructorParameters<typeof MailComposer>[0])
    .compile()
    .build();
}
