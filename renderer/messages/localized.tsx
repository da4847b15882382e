import type { LocalizedText } from './localized-text.ts';

/** Shows a localized text. Segments without a translation are marked as English, so that screen readers pronounce them right. */
export function Localized({ text }: { text: LocalizedText }) {
  return text.map((segment) =>
    segment.english ? (
      <span key={segment.text} lang="en">
        {segment.text}
      </span>
    ) : (
      segment.text
    ),
  );
}
