import { type MailLanguage, mailLanguages } from '#protocol/mail-languages.ts';

export type { MailLanguage };

/**
 * The language for mail, from the `Accept-Language` of the person whose call causes it (RFC 9110, 12.5.4): the
 * preferred one among the available languages, English if none matches.
 */
export function mailLanguageOf(acceptLanguage: string | undefined): MailLanguage {
  const wanted = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((one) => one.startsWith('q='));
      return { language: range.split('-')[0]!, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  for (const { language } of wanted) {
    const found = mailLanguages.find((one) => one === language);
    if (found) return found;
  }
  return 'en';
}
