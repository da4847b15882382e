import { Dialog } from '../ui/dialog.tsx';
import { useTongue } from '../words/words.ts';

/** Keys that belong together; between `or` either does. */
type Line = readonly [keys: readonly string[], words: string];

/** Everything that keys can do. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { keys: words } = useTongue().words.about;
  const everywhere: readonly Line[] = [
    [['?'], words.help],
    [['s'], words.send],
    [['g'], words.get],
    [['1', '2', '3', '4'], words.places],
    [['/'], words.search],
    [['Esc'], words.clear],
  ];
  const inList: readonly Line[] = [
    [['↑', '↓'], words.up],
    [['␣'], words.select],
    [['⇧ ↑', '⇧ ↓'], words.extend],
    [['Ctrl A'], words.all],
    [['p'], words.pause],
    [['Alt ↑', 'Alt ↓'], words.move],
    [['Del'], words.end],
    [['≣'], words.menu],
  ];
  return (
    <Dialog title={words.title} onClose={onClose} small>
      <div className="form">
        <Keys title={words.everywhere} lines={everywhere} />
        <Keys title={words.inList} lines={inList} />
      </div>
    </Dialog>
  );
}

function Keys({ title, lines }: { title: string; lines: readonly Line[] }) {
  return (
    <section>
      <h3 className="keys-title">{title}</h3>
      <dl className="keys">
        {lines.map(([keys, text]) => (
          <KeyLine key={text} keys={keys} text={text} />
        ))}
      </dl>
    </section>
  );
}

function KeyLine({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </>
  );
}
