import type { ServiceError } from '#client/errors.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import type { Format } from '../../messages/portal.ts';

/** The page's state before there is anything to send. */
export type View =
  | { readonly state: 'opening' }
  | { readonly state: 'code'; readonly problem: string }
  | {
      readonly state: 'closed';
      readonly title: string;
      /** Empty where the error says it. */
      readonly text: string;
      readonly retry: boolean;
      readonly portal: PublicPortal | null;
      readonly error?: unknown;
    }
  | { readonly state: 'ready'; readonly portal: PublicPortal; readonly accessCode: string };

type ViewFormat = Pick<Format, 'messages' | 'day' | 'duration'>;

export function viewOfPortal(portal: PublicPortal, accessCode: string, now: Date, { messages, day }: ViewFormat): View {
  if (portal.expiry_enabled && Date.parse(portal.expiry) <= now.getTime()) {
    return { state: 'closed', title: messages.expired.title, text: messages.expired.text(day(portal.expiry)), retry: false, portal };
  }
  if (!portal.active) return { state: 'closed', ...messages.inactive, retry: false, portal };
  return { state: 'ready', portal, accessCode };
}

/** The view for a failure while opening. `tried` is the given access code; empty for none. */
export function viewOfFailure(error: unknown, tried: string, { messages, duration }: ViewFormat): View {
  const closed = (title: string, text: string, retry: boolean): View => ({ state: 'closed', title, text, retry, portal: null, error });
  // Another failure has neither.
  const { error: name, retryAfter } = error as Partial<ServiceError>;
  switch (name) {
    case 'access_code_wrong':
      return { state: 'code', problem: tried === '' ? '' : messages.code.wrong };
    case 'rate_limited':
      return { state: 'code', problem: messages.code.tooMany(duration(retryAfter ?? 60)) };
    case 'not_found':
    case 'invalid_request':
      return closed(messages.missing.title, messages.missing.text, false);
    case 'team_inactive':
      return closed(messages.teamInactive.title, messages.teamInactive.text, false);
    case 'portal_closed':
      return closed(messages.inactive.title, messages.inactive.text, false);
    case 'service_unreachable':
    case 'unavailable':
      return closed(messages.unreachable.title, messages.unreachable.text, true);
    default:
      return closed(messages.wentWrong.title, '', true);
  }
}
