import type { AutomationKind } from '#protocol/agent/automations/automation.ts';
import { DownloadIcon, SendIcon } from '#ui/icons.tsx';
import { useEditorTexts } from './texts.ts';

const sending = ['team_upload', 'portal_upload'] as const satisfies readonly AutomationKind[];
const getting = ['portal_download', 'all_portals_download'] as const satisfies readonly AutomationKind[];

/** What an automation is to do, in the words of people. */
export function KindChoice({ onChoose }: { readonly onChoose: (kind: AutomationKind) => void }) {
  const texts = useEditorTexts();
  const choices = (kinds: readonly AutomationKind[]) => (
    <ul className="kind-list">
      {kinds.map((kind) => (
        <li key={kind}>
          <button type="button" className="kind" onClick={() => onChoose(kind)}>
            <span className="field-name">{texts.kinds[kind]}</span>
            <span className="hint">{texts.kindHints[kind]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <div className="kinds">
      <section className="card settings-part" aria-labelledby="kinds-sending">
        <h2 id="kinds-sending">
          <SendIcon /> {texts.sends}
        </h2>
        {choices(sending)}
      </section>
      <section className="card settings-part" aria-labelledby="kinds-getting">
        <h2 id="kinds-getting">
          <DownloadIcon /> {texts.gets}
        </h2>
        {choices(getting)}
      </section>
    </div>
  );
}
