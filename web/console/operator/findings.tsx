import type { IntegrityFinding } from '#protocol/hosted/operator-failures.ts';
import { CheckIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useTexts } from '../app/texts.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { ViewState } from '../ui/view-states.tsx';
import { useIntegrityFindings } from './calls.ts';
import { OperatorQuery } from './operator-query.tsx';

/** What checks of the storage have found. */
export function Findings() {
  const { messages } = useTexts({ en, de });
  const findings = useIntegrityFindings();
  return (
    <OperatorQuery query={findings}>
      {({ pages }) => {
        const found = pages.flatMap(({ records }) => records);
        if (found.length === 0) return <ViewState icon={<CheckIcon />} title={messages.noFindings} text={messages.noFindingsText} />;
        return (
          <section className="panel" aria-label={messages.findingList}>
            <p className="hint">{messages.findingsText}</p>
            <KeysetList
              label={messages.findingList}
              items={found}
              keyOf={({ kind, key }) => `${kind} ${key}`}
              rowHeight={84}
              row={(finding) => <FindingRow finding={finding} />}
              {...(findings.hasNextPage && { more: { loading: findings.isFetchingNextPage, load: () => void findings.fetchNextPage() } })}
            />
          </section>
        );
      }}
    </OperatorQuery>
  );
}

function FindingRow({ finding }: { readonly finding: IntegrityFinding }) {
  const { messages, size, moment, exactly } = useTexts({ en, de });
  const { kind, key, path, file_name, package_name, package_id, team_id, detail, found_at } = finding;
  return (
    <div className="row operator-row">
      <div className="row-main">
        <span className="row-name" dir="auto">
          {messages.findingKinds[kind]}: {file_name ?? key}
        </span>
        <span className="operator-reason" dir="auto">
          {detail || path}
        </span>
        <span className="row-facts">
          {package_name ? <span dir="auto">{messages.ofPackage(package_name)}</span> : null}
          {package_id ? <span className="mono">{package_id}</span> : null}
          {team_id ? (
            <span className="mono">
              {messages.ofTeam} {team_id}
            </span>
          ) : null}
          {finding.size === undefined ? null : <span>{size(finding.size)}</span>}
          <time dateTime={found_at} title={exactly(found_at)}>
            {moment(found_at)}
          </time>
        </span>
      </div>
    </div>
  );
}
