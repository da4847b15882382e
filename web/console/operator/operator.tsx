import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import type { ViewProps } from '../app/view-props.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { ViewState } from '../ui/view-states.tsx';
import { FailedWork } from './failed-work.tsx';
import { OperatorLog } from './log.tsx';
import { Overview } from './overview.tsx';
import { Teams } from './teams.tsx';
import '../ui/rows.css';
import './operator.css';
import { Tabs } from '../ui/tabs.tsx';

const parts = { overview: Overview, teams: Teams, failed: FailedWork, log: OperatorLog } as const;
type Part = keyof typeof parts;

/** The whole service, for its operators. */
export default function Operator({ params }: ViewProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const part = (Object.keys(parts) as Part[]).find((name) => name === (params['part'] ?? 'overview'));
  if (part === undefined) return <ViewState title={shell.states.gone} text={shell.states.goneText} />;
  const Shown = parts[part];
  return (
    <div className="view">
      <PageHeader title={messages.title} text={messages.text} />
      <Tabs label={messages.parts.label}>
        {(Object.keys(parts) as Part[]).map((name) => (
          <a
            key={name}
            className="tab"
            href={name === 'overview' ? '/operator' : `/operator/${name}`}
            aria-current={name === part ? 'page' : undefined}
          >
            {messages.parts[name]}
          </a>
        ))}
      </Tabs>
      <Shown />
    </div>
  );
}
