import { useId, useRef, useSyncExternalStore } from 'react';
import type { OwnTeam } from '#protocol/hosted/accounts.ts';
import { MenuIcon } from '#ui/icons.tsx';
import { permissionsIn, useAccount } from './account.ts';
import { useAddress } from './address.ts';
import { useShellTexts } from './texts.ts';
import { entriesFor, hrefOf, type View } from './views.ts';

const narrow = '(max-width: 56rem)';
/** Of a narrow window's bar; the others are behind one more button. */
const entriesInBar = 4;

function useNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(narrow);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => matchMedia(narrow).matches,
  );
}

/** The way to every view that the person's role may see. */
export function Navigation({ team }: { readonly team: OwnTeam }) {
  const { messages } = useShellTexts();
  const isNarrow = useNarrow();
  const entries = entriesFor(permissionsIn(team, useAccount()));
  const inBar = isNarrow && entries.length > entriesInBar + 1 ? entries.slice(0, entriesInBar) : entries;
  const others = entries.slice(inBar.length);
  return (
    <nav className="nav" aria-label={messages.nav.label}>
      <ul>
        {inBar.map((one) => (
          <li key={one.path}>
            <Entry view={one} team={team} />
          </li>
        ))}
        {others.length > 0 ? (
          <li>
            <Others entries={others} team={team} />
          </li>
        ) : null}
      </ul>
    </nav>
  );
}

function Others({ entries, team }: { readonly entries: readonly View[]; readonly team: OwnTeam }) {
  const { messages } = useShellTexts();
  const { path } = useAddress();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        type="button"
        className="nav-link nav-more"
        popoverTarget={id}
        data-here={entries.some((one) => isAt(path, hrefOf(one, team.id)))}
      >
        <MenuIcon />
        <span>{messages.nav.more}</span>
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the links inside are what is used; a chosen one closes it */}
      <div id={id} ref={panel} popover="auto" className="popover nav-others" onClick={() => panel.current?.hidePopover()}>
        <ul aria-label={messages.nav.others}>
          {entries.map((one) => (
            <li key={one.path}>
              <Entry view={one} team={team} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

function Entry({ view, team }: { readonly view: View; readonly team: OwnTeam }) {
  const { messages } = useShellTexts();
  const { path } = useAddress();
  const href = hrefOf(view, team.id);
  if (!view.entry) return null;
  const { Icon, label } = view.entry;
  return (
    <a href={href} className="nav-link" aria-current={isAt(path, href) ? 'page' : undefined}>
      <Icon />
      <span>{messages.nav[label]}</span>
    </a>
  );
}

/** A view's entry stands for what is below it, too: a package is at `packages`. Home has nothing below it. */
function isAt(path: string, href: string): boolean {
  const here = path.replace(/\/$/, '');
  return here === href || ((href.split('/').length > 3 || !href.startsWith('/t/')) && here.startsWith(`${href}/`));
}
