import type { Said } from './said.ts';

/** What the agent said. Where it could only be left as it was, it is marked as English, for those who hear the page. */
export function Spoken({ said }: { said: Said }) {
  return said.map(({ text, english }) =>
    english ? (
      <span key={text} lang="en">
        {text}
      </span>
    ) : (
      text
    ),
  );
}
