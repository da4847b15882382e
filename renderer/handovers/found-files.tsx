import type { ReactNode } from 'react';
import type { HandoverMatch } from '#protocol/agent/handovers.ts';
import { Notice } from '#ui/notice.tsx';
import { useFormat } from '../messages/format.ts';
import { useHandoverTexts } from './texts.ts';
import '../ui/styles/lazy/handovers.css';

interface FoundFilesProps {
  /** Null before a folder was looked through. */
  readonly match: HandoverMatch | null;
  readonly looking: boolean;
  /** Why it could not be looked through; null for none. */
  readonly problem: ReactNode;
}

const shown = 8;

/** Which files of the browser are in the chosen folder, and which are not as they were. */
export function FoundFiles({ match, looking, problem }: FoundFilesProps) {
  const { number, files } = useFormat();
  const texts = useHandoverTexts();
  if (problem !== null) return <Notice tone="bad">{problem}</Notice>;
  if (!match) {
    return (
      <p className="hint" role="status">
        {looking ? texts.matching : ''}
      </p>
    );
  }
  const others = match.changed + match.missing;
  return (
    <>
      <p role="status" aria-busy={looking}>
        {match.found === 0 && others > 0 ? texts.noneFound : texts.found(files(match.found))}
      </p>
      {others > 0 ? (
        <Notice tone="warn">
          <p>{texts.others(number(match.changed), number(match.missing))}</p>
          <ul className="found-others">
            {match.others.slice(0, shown).map(({ path, state }) => (
              <li key={path}>
                <span dir="auto">{path}</span> <span className="hint">{texts[state]}</span>
              </li>
            ))}
          </ul>
          {others > shown ? <p>{texts.more(number(others - shown))}</p> : null}
        </Notice>
      ) : null}
    </>
  );
}
