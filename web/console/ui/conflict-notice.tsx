import { ServiceError } from '#client/errors.ts';
import { useShellTexts } from '../app/texts.ts';

/**
 * What was refused, as somebody else has saved it since it was read; null where that is not why. Other refusals have the same
 * code, so it is read again.
 */
export async function changedMeanwhile<T extends { readonly updated_at: string }>(
  error: unknown,
  readAt: string,
  read: () => Promise<T>,
): Promise<T | null> {
  if (!(error instanceof ServiceError) || error.error !== 'state_conflict') return null;
  const now = await read().catch(() => null);
  return now && now.updated_at !== readAt ? now : null;
}

interface ConflictNoticeProps {
  /** What was changed by somebody else, as a sentence. */
  readonly text: string;
  /** `keep`: theirs with the changes of this page on top. */
  readonly onChoose: (keep: boolean) => void;
}

/** Says that somebody else was first, and lets one choose what becomes of the own changes. */
export function ConflictNotice({ text, onChoose }: ConflictNoticeProps) {
  const { messages } = useShellTexts();
  return (
    <div className="notice notice-bad conflict-notice" role="alert">
      <p>{text}</p>
      <button type="button" className="button button-small" onClick={() => onChoose(true)}>
        {messages.keepMine}
      </button>
      <button type="button" className="button button-small" onClick={() => onChoose(false)}>
        {messages.takeTheirs}
      </button>
    </div>
  );
}
