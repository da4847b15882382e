import type { LinkPreview } from '#protocol/agent/previews.ts';

/** A link that has been looked into, and how. */
export interface OpenedLink {
  readonly url: string;
  /** Empty where it has none. */
  readonly password: string;
  readonly preview: LinkPreview;
}
