import type { Role } from '#protocol/roles.ts';
import { accountMessages } from './account-messages.ts';
import { oneLine } from './clean.ts';
import { formatMoment } from './format.ts';
import type { MailLanguage } from './language.ts';
import type { Fact, Letter } from './letter.ts';

/** The facts of a message about an account, as in the database. Links are complete URLs. */
export type AccountLetterFacts =
  | {
      readonly kind: 'invitation';
      readonly team: string;
      readonly inviter: { readonly name: string; readonly email: string };
      readonly role: Role;
      readonly until: Date;
      readonly link: string;
    }
  | { readonly kind: 'password_reset'; readonly email: string; readonly until: Date; readonly link: string }
  | { readonly kind: 'email_confirmation'; readonly email: string; readonly until: Date; readonly link: string }
  /** `link`: the operators' page. */
  | { readonly kind: 'storage_damaged'; readonly email: string; readonly at: Date; readonly link: string }
  /** `link`: the page to request a password reset. */
  | {
      readonly kind: 'password_changed' | 'email_change_asked' | 'factor_added' | 'factor_removed';
      readonly email: string;
      readonly at: Date;
      readonly link: string;
    }
  | { readonly kind: 'email_changed'; readonly email: string; readonly at: Date };

/** Maximum length of names of people and Teams, since other people wrote them. */
const nameLength = 80;

/** The message about an account, in a language. `service` is the host that it is about. Pure. */
export function accountLetter(facts: AccountLetterFacts, language: MailLanguage, service: string): Letter {
  const messages = accountMessages[language];
  const { labels } = messages;
  const common = { note: null, form: null, language } as const;
  const about: Fact = { label: labels.service, value: service };
  if (facts.kind === 'invitation') {
    const [team, inviter] = [oneLine(facts.team, nameLength), oneLine(facts.inviter.name, nameLength)];
    return {
      ...common,
      subject: messages.invitation.subject(inviter, team),
      heading: messages.invitation.heading(team),
      opening: messages.invitation.opening(inviter, team),
      facts: [
        { label: labels.team, value: team },
        { label: labels.invitedBy, value: `${inviter} (${oneLine(facts.inviter.email)})` },
        { label: labels.role, value: messages.roles[facts.role] },
        { label: labels.validUntil, value: formatMoment(facts.until, language) },
        about,
      ],
      link: facts.link,
      button: messages.invitation.button,
      closing: messages.invitation.closing(inviter),
    };
  }
  if (facts.kind === 'email_confirmation') {
    // The account's present address is nobody's business at one that may be mistyped.
    return {
      ...common,
      ...messages.email_confirmation,
      facts: [
        { label: labels.newAddress, value: oneLine(facts.email) },
        { label: labels.validUntil, value: formatMoment(facts.until, language) },
        about,
      ],
      link: facts.link,
    };
  }
  const account: Fact = { label: labels.account, value: oneLine(facts.email) };
  if (facts.kind === 'email_changed') {
    return {
      ...common,
      ...messages.email_changed,
      button: '',
      facts: [account, { label: labels.when, value: formatMoment(facts.at, language) }, about],
      link: null,
    };
  }
  const time: Fact =
    facts.kind === 'password_reset'
      ? { label: labels.validUntil, value: formatMoment(facts.until, language) }
      : { label: labels.when, value: formatMoment(facts.at, language) };
  return { ...common, ...messages[facts.kind], facts: [account, time, about], link: facts.link };
}
