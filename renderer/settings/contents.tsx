import type { RefObject } from 'react';
import { hrefOf } from '../app/route.ts';
import { useLocale } from '../messages/locale.ts';
import { useMountTexts } from './mounts/texts.ts';

/** The parts of the settings, as a table of contents that leads there; and the page about Longshore. */
export function Contents({ content }: { content: RefObject<HTMLElement | null> }) {
  const { settings, app } = useLocale().messages;
  const mounts = useMountTexts();
  // In the order in which they stand.
  const titles = [
    settings.transfers.title,
    settings.limits.title,
    settings.folders.title,
    mounts.title,
    settings.applications.title,
    settings.desktop.title,
    settings.look.title,
    settings.keyboard.title,
  ];
  const go = (index: number): void => {
    const heading = content.current?.children[index]?.querySelector<HTMLElement>('h2');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
    heading?.scrollIntoView({ block: 'start' });
  };
  return (
    <nav className="contents" aria-label={settings.contents}>
      <ul>
        {titles.map((title, index) => (
          <li key={title}>
            <button type="button" className="contents-link" onClick={() => go(index)}>
              {title}
            </button>
          </li>
        ))}
        <li>
          <a className="contents-link" href={hrefOf({ name: 'about' })}>
            {app.aboutLongshore}
          </a>
        </li>
      </ul>
    </nav>
  );
}
