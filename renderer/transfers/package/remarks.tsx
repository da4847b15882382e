import type { SentPackage } from '#protocol/agent/sent-package.ts';
import { hasPassed } from '#ui/has-passed.ts';
import { Notice } from '#ui/notice.tsx';
import { useFormat } from '../../messages/format.ts';
import { useSentPackageTexts } from './texts.ts';

/** What its sender should know of a sent package: that it is kept after its time, and what checks have found in it. */
export function Remarks({ sent: { state, expiry, hold, findings } }: { readonly sent: SentPackage }) {
  const { files, number, dated } = useFormat();
  const texts = useSentPackageTexts();
  return (
    <>
      {findings?.map((finding) => (
        <Notice key={finding.kind} tone={finding.kind === 'not_scanned' ? 'plain' : 'bad'}>
          <p>{texts.findings[finding.kind](files(finding.files))}</p>
          <p dir="auto">
            {texts.findings.names(
              finding.names.join(', '),
              finding.files > finding.names.length ? number(finding.files - finding.names.length) : '',
            )}
          </p>
        </Notice>
      ))}
      {hold && state === 'finalized' ? (
        <Notice tone="plain">
          <p>{(hasPassed(expiry) ? texts.heldOver : texts.held)(dated(hold.since))}</p>
          <p dir="auto">{texts.reason(hold.reason)}</p>
        </Notice>
      ) : null}
    </>
  );
}
