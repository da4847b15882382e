import { useState } from 'react';
import type { Mount } from '#protocol/agent/mounts.ts';
import type { AgentTeam } from '#protocol/agent/session.ts';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { phraseText } from '../../messages/localized-text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ChangeMount } from './change-mount.tsx';
import { MountSteps } from './mount-steps.tsx';
import { useCheckMount, useGatewayConnections, useRemoveMount } from './queries.ts';
import { useMountTexts } from './texts.ts';

interface MountEntryProps {
  readonly mount: Mount;
  /** Null where no session is in it any more. */
  readonly team: AgentTeam | null;
}

/** The focus moves to this button when it is rendered, so that a hasty Enter removes nothing. */
const takeFocus = (button: HTMLButtonElement | null): void => button?.focus();

/** One mount: where it is, how it stands, and what can be done with it. */
export function MountEntry({ mount, team }: MountEntryProps) {
  const { messages, number, size } = useFormat();
  const texts = useMountTexts();
  const fault = useFaultText();
  const check = useCheckMount(mount.id);
  const remove = useRemoveMount(mount.id);
  const [open, setOpen] = useState<'change' | 'remove' | null>(null);
  const connection = useGatewayConnections(team?.id).data?.find(({ id }) => id === mount.cloud_connection_id);
  const { name, state, tasks } = mount;
  const facts = [
    team?.name,
    connection && `${texts.kinds[connection.provider]}, ${texts.short[connection.direction]}`,
    mount.read_only ? texts.isReadOnly : '',
    mount.free_bytes === null ? '' : texts.free(size(mount.free_bytes)),
    tasks === 0 ? texts.idle : texts.tasks(number(tasks), tasks === 1),
  ];
  return (
    <li className="application">
      <div className="application-head">
        <div>
          <p className="field-name" dir="auto">
            {name}
          </p>
          <p className="mono mount-path" dir="ltr">
            {mount.path}
          </p>
        </div>
        <p className={`mount-state mount-${state}`}>
          <span className={`dot dot-${state === 'ok' ? 'good' : 'bad'}`} aria-hidden="true" />
          {texts.states[state]}
        </p>
      </div>
      {state === 'offline' && mount.reason ? (
        <Notice tone="warn">
          <Localized text={phraseText(mount.reason, messages)} />
        </Notice>
      ) : null}
      <p className="hint">{facts.filter(Boolean).join(' · ')}</p>
      {check.error ? <Notice tone="bad">{fault(check.error)}</Notice> : null}
      {check.data ? <MountSteps check={check.data} /> : null}
      {open === 'change' ? (
        <ChangeMount mount={mount} onDone={() => setOpen(null)} />
      ) : open === 'remove' ? (
        <div className="application-end" role="alert">
          <p>{texts.sure(name)}</p>
          {remove.error ? <Notice tone="bad">{fault(remove.error)}</Notice> : null}
          <button type="button" className="button button-small button-danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {texts.removeNow}
          </button>
          <button type="button" className="button button-small" ref={takeFocus} onClick={() => setOpen(null)}>
            {texts.keep}
          </button>
        </div>
      ) : (
        <div className="mount-acts">
          <button
            type="button"
            className="button button-small"
            aria-label={check.isPending ? undefined : texts.checkOf(name)}
            disabled={check.isPending}
            onClick={() => check.mutate()}
          >
            {check.isPending ? texts.checking : texts.check}
          </button>
          <button type="button" className="button button-small" aria-label={texts.changeOf(name)} onClick={() => setOpen('change')}>
            {texts.change}
          </button>
          <CopyButton text={mount.cloud_connection_id} label={texts.copyId} about={name} />
          <button
            type="button"
            className="button button-small button-danger"
            aria-label={texts.removeOf(name)}
            onClick={() => setOpen('remove')}
          >
            {texts.remove}
          </button>
        </div>
      )}
    </li>
  );
}
