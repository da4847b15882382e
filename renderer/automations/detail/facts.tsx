import { Fragment, type ReactNode } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { formatDuration } from '#ui/format.ts';
import { type Format, useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { phraseText } from '../../messages/localized-text.ts';
import { serviceName } from '../../session/service-address.ts';
import { type AutomationNames, folderOf, isUpload, partnerOf, type UploadAutomation } from '../describe-automation.ts';

type Fact = readonly [name: string, value: ReactNode];

/** How it stands: what it waits for, when it looks, what it counted. */
export function Status({ automation }: { automation: Automation }) {
  const format = useFormat();
  const { messages, moment, number } = format;
  const { page: texts, waitsSince, needs } = messages.automations;
  const { waiting_for: waitingFor, waiting_since: since, counts, last_run_at: last, next_scan_at: next, active } = automation;
  const facts: readonly Fact[] = [
    [
      texts.waitsFor,
      waitingFor === '' ? (
        texts.nothing
      ) : (
        <>
          <Localized text={phraseText(waitingFor, messages)} />
          {since ? <span className="path hint">{waitsSince(moment(since))}</span> : null}
        </>
      ),
    ],
    [texts.lastRun, last ? moment(last) : texts.none],
    [texts.nextScan, active ? (next ? moment(next) : texts.nothing) : texts.afterResume],
    [isUpload(automation) ? texts.counts.sent : texts.counts.received, number(counts.sent)],
    [texts.counts.waiting, number(counts.waiting)],
    [texts.counts.failed, number(counts.failed)],
    [needs.title, number(counts.questions)],
  ];
  return (
    <section className="panel" aria-labelledby="status-heading">
      <h2 id="status-heading">{texts.status}</h2>
      <Facts facts={facts} />
    </section>
  );
}

/** What a person chose for it. */
export function About({ automation, names }: { automation: Automation; names: AutomationNames }) {
  const format = useFormat();
  const { page: texts } = format.messages.automations;
  const facts: readonly Fact[] = [
    ...(isUpload(automation) ? uploadFacts(format, automation, names) : downloadFacts(format, automation, names)),
    [texts.made, format.dated(automation.created_at)],
  ];
  return (
    <section className="panel" aria-labelledby="about-heading">
      <h2 id="about-heading">{texts.about}</h2>
      <p className="hint">{texts.kind[automation.kind]}</p>
      <Facts facts={facts} />
    </section>
  );
}

function uploadFacts(format: Format, automation: UploadAutomation, names: AutomationNames): readonly Fact[] {
  const { messages, tag } = format;
  const { page: texts } = messages.automations;
  const {
    folder,
    recursive,
    package_per: per,
    marker,
    package_name: packageName,
    settle_seconds: settle,
    after,
    move_to: moveTo,
  } = automation;
  const afterSent = { ...texts.afterSent, move: texts.afterSent.move(moveTo ?? '') };
  return [
    [texts.folder, recursive ? folder : `${folder} (${texts.onlyTop})`],
    [texts.to, partnerOf(format, automation, names)],
    ...(automation.kind === 'portal_upload'
      ? [...ifAny(texts.service, automation.service_url && serviceName(automation.service_url)), [texts.sender, automation.sender] as const]
      : ifAny(texts.recipients, automation.recipients.join(', '))),
    ...patternFacts(format, automation),
    ...ifAny(texts.notReady, automation.not_ready?.join(', ')),
    [texts.packages, per === 'marker' ? texts.packagePer.marker(marker ?? '_READY') : texts.packagePer[per]],
    ...ifAny(texts.packageName, packageName),
    [texts.settle, texts.settleSeconds(formatDuration(settle, tag))],
    ...ifAny(texts.times, automation.schedule && texts.someTimes),
    [texts.after, afterSent[after]],
  ];
}

function downloadFacts(format: Format, automation: Exclude<Automation, UploadAutomation>, names: AutomationNames): readonly Fact[] {
  const { page: texts } = format.messages.automations;
  const { create_package_folder: packageFolder, subfolders, since, afterwards } = automation;
  const folders = [...(subfolders ?? []), ...(packageFolder ? (['package'] as const) : [])].map((one) => texts.subfolder[one]);
  return [
    [texts.from, partnerOf(format, automation, names)],
    [texts.into, folderOf(automation)],
    ...ifAny(texts.subfolders, folders.join(' / ')),
    ...patternFacts(format, automation),
    [texts.fetchesSince, since ? format.moment(since) : texts.fetchesFromNow],
    [texts.afterwards, texts.afterReceived[afterwards]],
  ];
}

const patternFacts = ({ messages }: Format, { include, exclude }: Automation): readonly Fact[] => [
  ...ifAny(messages.automations.page.include, include?.join(', ')),
  ...ifAny(messages.automations.page.exclude, exclude?.join(', ')),
];

const ifAny = (name: string, value: string | undefined): readonly Fact[] => (value ? [[name, value]] : []);

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
