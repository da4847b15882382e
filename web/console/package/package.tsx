import type { Package } from '#protocol/hosted/packages.ts';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useMay, useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import type { ViewProps } from '../app/view-props.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { QueryView } from '../ui/view-states.tsx';
import { Answers } from './answers.tsx';
import { Downloads } from './downloads.tsx';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { HoldNotice } from './hold.tsx';
import { Links } from './links.tsx';
import { Log } from './log.tsx';
import { PackageActions } from './package-actions.tsx';
import { isOutOfTime, isOver, usePackage, usePackageParts } from './queries.ts';
import { Told } from './told.tsx';
import { Transfers } from './transfers.tsx';
import { FindingNotices } from './virus.tsx';
import { Webhooks } from './webhooks.tsx';
import '../ui/rows.css';
import './package.css';

/** Everything about one package. */
export default function PackagePage({ params }: ViewProps) {
  const query = usePackage(params['package_id']!);
  return <QueryView query={query}>{(one) => <Shown one={one} />}</QueryView>;
}

function Shown({ one }: { readonly one: Package }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const may = useMay();
  const mayManage = may('packages.manage_own');
  const parts = usePackageParts(one, mayManage);
  return (
    <div className="view package-view">
      <PageHeader
        title={one.name}
        text={
          one.state === 'expired' && one.deleted_at !== undefined
            ? messages.deleted
            : isOver(one) || !isOutOfTime(one)
              ? messages.state[one.state]
              : messages.timeOver
        }
        back={{ href: `/t/${team.id}/packages`, label: messages.back }}
      >
        {mayManage ? <PackageActions one={one} parts={parts} /> : null}
      </PageHeader>
      <FindingNotices one={one} parts={parts} />
      <HoldNotice one={one} />
      <div className="package-columns">
        <div className="package-column">
          {mayManage ? <Links one={one} parts={parts} /> : null}
          {mayManage ? <Downloads parts={parts} /> : null}
          <Files one={one} parts={parts} />
          {mayManage ? <Transfers one={one} parts={parts} /> : null}
          {may('integrations.manage') ? <Webhooks one={one} /> : null}
        </div>
        <div className="package-column">
          <Facts one={one} parts={parts} />
          {mayManage && !isOver(one) ? <Told one={one} /> : null}
          <Answers parts={parts} />
          <Log one={one} parts={parts} />
        </div>
      </div>
    </div>
  );
}
