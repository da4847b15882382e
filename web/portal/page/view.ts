import { ServiceError } from '#client/errors.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import type { Words } from '../../words/portal.ts';

/** The page's state before there is anything to send. */
export type View =
  | { readonly state: 'opening' }
  | { readonly state: 'code'; readonly problem: string }
  | {
      readonly state: 'closed';
      readonly title: string;
      readonly text: string;
      readonly retry: boolean;
      readonly portal: PublicPortal | null;
    }
  | { readonly state: 'ready'; readonly portal: PublicPortal; readonly accessCode: string };

interface Speaking {
  readonly words: Words;
  /** Formats dates and durations. */
  readonly day: (moment: string) => string;
  readonly time: (seconds: number) => string;
}

export function viewOfPortal(portal: PublicPortal, accessCode: string, now: Date, { words, day }: Speaking): View {
  if (portal.expiry_enabled && Date.parse(portal.expiry) <= now.getTime()) {
    return { state: 'closed', title: words.expired.title, text: words.expired.text(day(portal.expiry)), retry: false, portal };
  }
  if (!portal.active) return { state: 'closed', ...words.inactive, retry: false, portal };
  return { state: 'ready', portal, accessCode };
}

/** The view for a failure while opening. `tried` is the given access code; empty for none. */
export function viewOfFailure(error: unknown, tried: string, { words, time }: Speaking): View {
  const closed = (title: string, text: string, retry: boolean): View => ({ state: 'closed', title, text, retry, portal: null });
  if (!(error instanceof ServiceError)) return closed(words.wentWrong.title, error instanceof Error ? error.message : String(error), true);
  switch (error.error) {
    case 'access_code_wrong':
      return { state: 'code', problem: tried === '' ? '' : words.code.wrong };
    case 'rate_limited':
      return { state: 'code', problem: words.code.tooMany(time(error.retryAfter ?? 60)) };
    case 'not_found':
    case 'invalid_request':
      return closed(words.missing.title, words.missing.text, false);
    case 'team_inactive':
      return closed(words.teamInactive.title, words.teamInactive.text, false);
    case 'portal_closed':
      return closed(words.inactive.title, words.inactive.text, false);
    case 'service_unreachable':
    case 'unavailable':
      return closed(words.unreachable.title, words.unreachable.text, true);
    default:
      return closed(words.wentWrong.title, error.message, true);
  }
}
