import type { Package } from '#protocol/hosted/packages.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTexts } from '../app/texts.ts';
import { tokenOf } from '../packages/actions.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { isSet } from '../ui/is-set.ts';
import { useToast } from '../ui/toasts.tsx';
import { isOutOfTime, type PackageParts } from './queries.ts';
import { useSaveReceipt } from './save-receipt.ts';

/** The record of a package, in words. */
export function Facts({ one, parts: { files: list } }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages, files, size, exactly } = useTexts({ en, de });
  const { facts } = messages;
  const toast = useToast();
  const fault = useFaultText();
  const save = useSaveReceipt();
  const records = list.data ?? [];
  const infected = records.filter(({ kind, virus_detected }) => kind === 'file' && virus_detected).length;
  const unscanned = records.filter(({ not_scanned }) => not_scanned !== undefined).length;
  const viruses = [
    infected > 0 ? facts.virusIn(files(infected)) : one.contains_virus ? facts.virusFound : '',
    unscanned > 0 ? facts.notScanned(files(unscanned)) : '',
  ];
  const rows: readonly (readonly [string, string])[] = [
    [facts.sender, one.sender],
    [facts.portal, one.portal_name ?? ''],
    [facts.recipients, one.recipients.join(', ')],
    [facts.message, one.description],
    [facts.content, `${files(one.total_files)}, ${size(one.size)}`],
    [facts.viruses, viruses.filter(Boolean).join('\n')],
    [facts.made, exactly(one.created_at)],
    [facts.finalized, one.finalized_at === undefined ? '' : exactly(one.finalized_at)],
    [isOutOfTime(one) ? facts.ended : facts.expiry, isSet(one.expiry) ? exactly(one.expiry) : facts.never],
    [facts.tag, one.tag?.name ?? ''],
    [facts.space, one.teamspace?.name ?? ''],
  ];
  return (
    <section className="panel">
      <h2>{facts.title}</h2>
      <dl className="facts">
        {rows.map(([label, value]) =>
          value === '' ? null : (
            <div key={label} className="facts-row">
              <dt>{label}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ),
        )}
      </dl>
      {one.state === 'finalized' ? (
        <button
          type="button"
          className="button button-small package-receipt"
          onClick={() =>
            void save(one.id, tokenOf(one).token, facts.receiptFile(one.name)).catch((error: unknown) =>
              toast({ text: fault(error), tone: 'bad' }),
            )
          }
        >
          <DownloadIcon /> {facts.saveReceipt}
        </button>
      ) : null}
    </section>
  );
}
