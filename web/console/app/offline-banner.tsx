import { WarnIcon } from '#ui/icons.tsx';
import { useAnswers } from './connection.ts';
import { useShellTexts } from './texts.ts';

/** The service does not answer: the view may show old data. The banner disappears by itself. */
export function OfflineBanner() {
  const { messages } = useShellTexts();
  if (useAnswers()) return null;
  return (
    <div className="banner" role="alert">
      <WarnIcon />
      <p>
        <strong>{messages.offline.title}</strong> {messages.offline.text}
      </p>
    </div>
  );
}
