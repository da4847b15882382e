import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTexts } from '../app/texts.ts';
import { answerText } from '../ui/answer-text.ts';
import type { PackageParts } from './queries.ts';

/** What the sender answered to the Portal's form. */
export function Answers({ parts: { answers } }: { readonly parts: PackageParts }) {
  const { messages } = useTexts({ en, de });
  if (!answers.data) return null;
  const rows = Object.entries(answers.data).flatMap(([name, answer]) => (typeof answer === 'string' ? [] : [{ name, ...answer }]));
  return (
    <section className="panel">
      <h2>{messages.answers.title}</h2>
      <dl className="facts">
        {rows.map(({ name, label, value }) => (
          <div key={name} className="facts-row">
            <dt dir="auto">{label || name}</dt>
            <dd dir="auto">{answerText(value, messages.answers)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
