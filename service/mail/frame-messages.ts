import type { MailLanguage } from './language.ts';

interface FrameMessages {
  /** Before the button's address. */
  readonly address: string;
  readonly imprint: string;
  readonly privacy: string;
}

/** What stands around every message. */
export const frameMessages: Readonly<Record<MailLanguage, FrameMessages>> = {
  en: { address: 'Or open this address:', imprint: 'Imprint', privacy: 'Privacy policy' },
  de: { address: 'Oder diese Adresse öffnen:', imprint: 'Impressum', privacy: 'Datenschutz' },
};
