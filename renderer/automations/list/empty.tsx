import type { AutomationKind } from '#protocol/agent/automations/automation.ts';
import { DownloadIcon, SendIcon } from '#ui/icons.tsx';
import { hrefOf } from '../../app/route.ts';
import { useLocale } from '../../messages/locale.ts';

/** In the order in which they are offered. */
const kinds = ['team_upload', 'portal_upload', 'portal_download', 'all_portals_download'] as const satisfies readonly AutomationKind[];

/** Shown where there is none yet: what automations are, and the first step of each kind. */
export function Empty() {
  const { empty } = useLocale().messages.automations;
  return (
    <section className="empty">
      <h2>{empty.title}</h2>
      <p>{empty.text}</p>
      <ul className="kind-choice">
        {kinds.map((kind) => (
          <li key={kind}>
            <a className="kind-card" href={hrefOf({ name: 'new-automation', kind })}>
              <span className="transfer-icon">{kind.endsWith('upload') ? <SendIcon /> : <DownloadIcon />}</span>
              <span>
                <span className="kind-title">{empty[kind].title}</span>
                <span className="hint">{empty[kind].text}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
