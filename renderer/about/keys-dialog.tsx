import { hrefOf } from '../app/route.ts';
import { useLetterKeys } from '../settings/letter-keys.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useTongue } from '../words/words.ts';

/** Keys of one shortcut; `or` separates alternatives. */
type Line = readonly [keys: readonly string[], words: string];

/** A single-character shortcut: it works only if it is enabled in the settings. */
const isCharacter = ([[key]]: Line): boolean => /^[a-z0-9?/]$/.test(key ?? '');

/** All keyboard shortcuts that work at present. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { keys: words } = useTongue().words.about;
  const { names } = words;
  const letters = useLetterKeys();
  const shown = (lines: readonly Line[]): readonly Line[] => lines.filter((line) => letters || !isCharacter(line));
  const everywhere: readonly Line[] = [
    [['?'], words.help],
    [['s'], words.send],
    [['g'], words.get],
    [['1', '2', '3', '4'], words.places],
    [['/'], words.search],
    [[names.escape], words.clear],
  ];
  const inList: readonly Line[] = [
    [['↑', '↓'], words.up],
    [[names.space], words.select],
    [[`${names.shift} ↑`, `${names.shift} ↓`], words.extend],
    [[`${names.control} A`], words.all],
    [['p'], words.pause],
    [[`${names.alt} ↑`, `${names.alt} ↓`], words.move],
    [[names.delete], words.end],
    [[`${names.control} Z`], words.undo],
    [[names.menu], words.menu],
  ];
  return (
    <Dialog title={words.title} onClose={onClose} small>
      <div className="form">
        <Keys title={words.everywhere} lines={shown(everywhere)} />
        <Keys title={words.inList} lines={shown(inList)} />
        <p className="hint">
          {letters ? words.canBeOff : words.off}{' '}
          <a href={hrefOf({ place: 'settings' })} onClick={onClose}>
            {words.toSettings}
          </a>
        </p>
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
