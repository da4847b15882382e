import { ServiceError } from '#client/errors.ts';
import { traceIdToShow } from '#client/trace-id.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { Format, Messages } from '../messages/download.ts';
import type { OpenedLink } from './opened-link.ts';

/** The page's state. */
export type View =
  | { readonly state: 'opening' }
  | { readonly state: 'password'; readonly problem: string }
  /** The link asks for a mailed code. `password` has opened it so far. */
  | { readonly state: 'code'; readonly password: string; readonly problem: CodeProblem }
  /** The link cannot be opened. `retry`: whether another try may help. */
  | {
      readonly state: 'closed';
      readonly title: string;
      readonly text: string;
      readonly retry: boolean;
      readonly opened: OpenedLink | null;
      readonly traceId?: string;
    }
  | { readonly state: 'ready'; readonly opened: OpenedLink };

/** What is the matter with the code that was given; `none` before one was. */
export type CodeProblem = 'none' | 'wrong' | 'over';

type ViewFormat = Pick<Format, 'messages' | 'duration' | 'said'>;
type Notice = { readonly title: string; readonly text: string };

const closed = ({ title, text }: Notice, retry = false, error: unknown = null): Extract<View, { readonly state: 'closed' }> => {
  const traceId = traceIdToShow(error);
  return { state: 'closed', title, text, retry, opened: null, traceId };
};

export const incompleteLink = ({ messages }: ViewFormat): View => closed(messages.incomplete);

/** The view for a failure while opening. `tried` is the password that was given; empty for none. */
export function viewOfFailure(error: unknown, tried: string, { messages, duration, said }: ViewFormat): View {
  // Another failure has neither.
  const { error: name, retryAfter } = error as Partial<ServiceError>;
  switch (name) {
    case 'link_password_wrong':
      return { state: 'password', problem: tried === '' ? '' : messages.password.wrong };
    case 'link_code_required':
      return { state: 'code', password: tried, problem: 'none' };
    case 'link_code_wrong':
      return { state: 'code', password: tried, problem: 'wrong' };
    case 'link_code_over':
      return { state: 'code', password: tried, problem: 'over' };
    case 'rate_limited': {
      const wait = duration(retryAfter ?? 60);
      if (tried !== '') return { state: 'password', problem: messages.password.tooMany(wait) };
      return closed({ ...messages.tooMany, text: messages.tooMany.text(wait) }, true);
    }
    case 'service_unreachable':
    case 'unavailable':
      return closed(messages.unreachable, true, error);
    default: {
      const known = endings(messages)[name!];
      return known
        ? closed(known, name === 'state_conflict')
        : closed({ ...messages.wentWrong, text: said(error instanceof Error ? error.message : String(error)) }, true, error);
    }
  }
}

/** Why a link cannot be used, by the catalogue's error name. */
const endings = (messages: Messages): Readonly<Partial<Record<string, Notice>>> => ({
  not_found: messages.unknown,
  invalid_request: messages.unknown,
  credential_invalid: messages.unknown,
  credential_missing: messages.unknown,
  link_expired: messages.expired,
  package_expired: messages.packageExpired,
  package_deleted: messages.deleted,
  package_quarantined: messages.quarantined,
  link_inactive: messages.disabled,
  link_used_up: messages.usedUp,
  state_conflict: messages.unfinished,
});

/** The link opens, but nothing more can be downloaded. */
export const usedUpView = (opened: OpenedLink, { messages }: Pick<Format, 'messages'>): View => ({
  ...closed(messages.usedUp),
  opened,
});

/** The reason for a failed request, as a sentence. */
export function reasonOf(error: unknown, { messages, said }: Pick<Format, 'messages' | 'said'>): string {
  if (error instanceof ServiceError) {
    if (error.error === 'service_unreachable' || error.error === 'unavailable') return messages.unreachable.text;
    const known = endings(messages)[error.error];
    if (known) return `${known.title}. ${known.text}`;
  }
  return said(error instanceof Error ? error.message : String(error));
}

export type ZipKind = 'zip_windows' | 'zip_mac';

/** The package's zips, the one for the visitor's system first. */
export function zipsFor(records: readonly File[], platform: string): readonly (File & { readonly kind: ZipKind })[] {
  const wanted: ZipKind = /mac|iphone|ipad/i.test(platform) ? 'zip_mac' : 'zip_windows';
  const zips = records.filter((one): one is File & { kind: ZipKind } => one.kind === 'zip_windows' || one.kind === 'zip_mac');
  return zips.sort((a, b) => Number(b.kind === wanted) - Number(a.kind === wanted));
}
