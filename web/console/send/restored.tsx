import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/send.ts';
import { en } from '../../messages/en/console/send.ts';
import { useTexts } from '../app/texts.ts';
import { type KeptDraft, stillLost } from './kept-draft.ts';

/** Names that are said one by one. */
const named = 10;

/** Says that what was begun before is there again, what of it is to be done once more, and how it is thrown away. */
export function Restored({ kept: { draft, clear } }: { readonly kept: KeptDraft }) {
  const { messages, number } = useTexts({ en, de });
  const text = messages.restored;
  const lost = draft.source === 'files' ? stillLost(draft) : [];
  const others = lost.length - named;
  return (
    <Notice tone="plain">
      <div className="send-restored">
        <p>
          <strong>{text.title}</strong>
        </p>
        {lost.length > 0 ? (
          <>
            <p>{text.chooseAgain}</p>
            <ul className="chosen-entries">
              {lost.slice(0, named).map((name) => (
                <li key={name}>
                  <bdi>{name}</bdi>
                </li>
              ))}
              {others > 0 ? <li>{text.others(number(others), others === 1)}</li> : null}
            </ul>
          </>
        ) : null}
        {draft.passwordLost && draft.fields.password === '' ? <p>{messages.fields.passwordLost}</p> : null}
        <button type="button" className="button button-small" onClick={clear}>
          {text.clear}
        </button>
      </div>
    </Notice>
  );
}
