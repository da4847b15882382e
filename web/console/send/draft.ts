import type { OwnTeam } from '#protocol/hosted/accounts.ts';
import { limits } from '#protocol/limits.ts';
import { isBlank, withoutBidiControls } from '#protocol/names.ts';
import { addressesIn } from '../ui/addresses.ts';

/** What is said of a package before it is sent, as it was typed. */
export interface Draft {
  readonly way: 'mail' | 'link';
  readonly recipients: string;
  /** Empty: the first name of what was chosen. */
  readonly name: string;
  readonly message: string;
  readonly password: string;
  /** `2026-12-24`; empty for the Team's usual time. */
  readonly day: string;
  /** Downloads by one link; empty for the Team's usual number. */
  readonly limit: string;
  /** Asks each recipient for a mailed code; null as the Team has chosen. */
  readonly verify: boolean | null;
  readonly space: string;
  readonly tag: string;
}

export const emptyDraft = ({ public_links_allowed: links }: Pick<OwnTeam, 'public_links_allowed'>): Draft => ({
  way: links === false ? 'mail' : 'link',
  recipients: '',
  name: '',
  message: '',
  password: '',
  day: '',
  limit: '',
  verify: null,
  space: '',
  tag: '',
});

/** What is wrong with a draft, by field; words are in the messages. */
export interface DraftFaults {
  /** `address` is the first that is wrong; empty where it is about all of them. */
  readonly recipients: { readonly kind: 'none' | 'many' | 'bad' | 'foreign'; readonly address: string } | null;
  readonly name: boolean;
  readonly password: boolean;
  readonly day: 'past' | 'late' | null;
  readonly limit: boolean;
}

type Policies = Pick<OwnTeam, 'max_email_recipients' | 'recipient_domains' | 'password_required' | 'max_expiry_days'>;

/** The last day that a package of now can be kept, as a field of a date has it; null without a limit. */
export function lastDay({ max_expiry_days: most = 0 }: Pick<Policies, 'max_expiry_days'>, now: Date): string | null {
  if (most === 0) return null;
  // The day before the one that the limit ends within: a chosen day is kept until its end.
  const last = new Date(now.getFullYear(), now.getMonth(), now.getDate() + most - 1);
  return dayOf(last);
}

/** The days that a package is kept where its sender says nothing; below 0 for ever. */
export function usualDays(team: Pick<OwnTeam, 'custom_expiry_enabled' | 'custom_expiry_default' | 'max_expiry_days'>): number {
  const { max_expiry_days: most = 0 } = team;
  const wanted = team.custom_expiry_enabled ? team.custom_expiry_default : limits.defaultExpiryDays;
  return most > 0 && (wanted < 0 || wanted > most) ? most : wanted;
}

export const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** The name that is sent: as typed, without what turns the direction of text, else `proposed`. */
export function nameOf({ name }: Pick<Draft, 'name'>, proposed: string): string {
  const given = withoutBidiControls(name, '').trim();
  return isBlank(given) ? withoutBidiControls(proposed, '').slice(0, limits.nameLength).trim() : given;
}

export function faultsOf(draft: Draft, proposed: string, team: Policies, now: Date): DraftFaults {
  const { day, limit, password } = draft;
  const last = lastDay(team, now);
  return {
    recipients: draft.way === 'mail' ? recipientsFault(draft.recipients, team) : null,
    name: nameOf(draft, proposed) === '',
    password: team.password_required === true && password === '',
    day: day === '' ? null : day < dayOf(now) ? 'past' : last !== null && day > last ? 'late' : null,
    limit: limit !== '' && !/^(?:0|[1-9]\d{0,5})$/.test(limit),
  };
}

export const hasFault = (faults: DraftFaults): boolean => Object.values(faults).some(Boolean);

function recipientsFault(
  text: string,
  { max_email_recipients: most, recipient_domains: domains = [] }: Policies,
): DraftFaults['recipients'] {
  const { good, bad } = addressesIn(text);
  if (bad.length > 0) return { kind: 'bad', address: bad[0]! };
  if (good.length === 0) return { kind: 'none', address: '' };
  if (good.length > most) return { kind: 'many', address: '' };
  // Only what is surely refused: domains in other scripts are compared by the service.
  const foreign = good.find((address) => {
    const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
    return domains.length > 0 && /^[\x20-\x7e]*$/.test(domain) && !domains.includes(domain);
  });
  return foreign === undefined ? null : { kind: 'foreign', address: foreign };
}
