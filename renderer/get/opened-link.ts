import type { LinkPreview } from '#protocol/agent/previews.ts';

/** An opened link, and the password that was used. */
export interface OpenedLink {
  readonly url: string;
  /** Empty where it has no password. */
  readonly password: string;
  readonly preview: LinkPreview;
}
