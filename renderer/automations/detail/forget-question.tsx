import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { useTransferActions } from '../../transfers/actions/transfer-actions.tsx';
import { useForget } from './queries.ts';

interface ForgetQuestionProps {
  /** Of the automation. */
  readonly id: string;
  readonly way: 'upload' | 'download';
  readonly what: readonly string[] | 'all';
  readonly onClose: (forgotten: boolean) => void;
}

/** The focus is on the button that changes nothing, so that a hasty Enter sends nothing again. */
const takeFocus = (button: HTMLButtonElement | null): void => button?.focus();

/** Asks before entries are forgotten, and says what that means. */
export function ForgetQuestion({ id, way, what, onClose }: ForgetQuestionProps) {
  const { messages, number } = useFormat();
  const { ledger: texts } = messages.automations;
  const { notify } = useTransferActions();
  const fault = useFaultText();
  const forget = useForget(id);
  const go = (): void =>
    forget.mutate(what === 'all' ? { all: true } : { ids: [...what] }, {
      onSuccess({ forgotten }) {
        notify({
          tone: 'plain',
          text: ({ messages: { automations }, number: shown }) => automations.ledger.forgotten(shown(forgotten), forgotten === 1),
        });
        onClose(true);
      },
    });
  return (
    <div className="application-end" role="alert">
      <p>{what === 'all' ? texts.sureAll[way] : texts.sure[way](number(what.length), what.length === 1)}</p>
      {forget.error ? <Notice tone="bad">{fault(forget.error)}</Notice> : null}
      <button type="button" className="button button-small button-danger" disabled={forget.isPending} onClick={go}>
        {texts.forgetNow}
      </button>
      <button type="button" className="button button-small" ref={takeFocus} onClick={() => onClose(false)}>
        {texts.keep}
      </button>
    </div>
  );
}
