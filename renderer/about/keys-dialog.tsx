import { hrefOf } from '../app/route.ts';
import { useLetterKeys } from '../settings/letter-keys.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useAboutTexts } from './texts.ts';
import '../ui/styles/lazy/views.css';

/** Keys of one shortcut; `or` separates alternatives. */
type Line = readonly [keys: readonly string[], messages: string];

/** A single-character shortcut: it works only if it is enabled in the settings. */
const isCharacter = ([[key]]: Line): boolean => /^[a-z0-9?/]$/.test(key ?? '');

/** All keyboard shortcuts that work at present. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { keys: messages } = useAboutTexts();
  const { names } = messages;
  const letters = useLetterKeys();
  const shown = (lines: readonly Line[]): readonly Line[] => lines.filter((line) => letters || !isCharacter(line));
  const everywhere: readonly Line[] = [
    [['?'], messages.help],
    [['s'], messages.send],
    [['g'], messages.get],
    [['1', '2', '3', '4', '5'], messages.routes],
    [['/'], messages.search],
    [[names.escape], messages.clear],
  ];
  const inList: readonly Line[] = [
    [['↑', '↓'], messages.up],
    [[names.space], messages.select],
    [[`${names.shift} ↑`, `${names.shift} ↓`], messages.extend],
    [[`${names.control} A`], messages.all],
    [['p'], messages.pause],
    [[`${names.alt} ↑`, `${names.alt} ↓`], messages.move],
    [[names.delete], messages.end],
    [[`${names.control} Z`], messages.undo],
    [[names.menu], messages.menu],
  ];
  return (
    <Dialog title={messages.title} onClose={onClose} small>
      <div className="form">
        <Keys title={messages.everywhere} lines={shown(everywhere)} />
        <Keys title={messages.inList} lines={shown(inList)} />
        <p className="hint">
          {letters ? messages.canBeOff : messages.off}{' '}
          <a href={hrefOf({ name: 'settings' })} onClick={onClose}>
            {messages.toSettings}
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
