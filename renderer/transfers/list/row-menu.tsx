import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { Menu, MenuItem } from '#ui/menu.tsx';
import { goTo } from '../../app/route.ts';
import { desktopBridge } from '../../desktop/bridge.ts';
import { useFormat } from '../../messages/format.ts';
import { isAllowed, primaryAction, removalOf } from '../actions/allowed-actions.ts';
import { useTransferActions } from '../actions/transfer-actions.tsx';

export interface MenuTarget {
  readonly transfer: AgentTransfer;
  readonly button: HTMLElement;
}

interface RowMenuProps {
  readonly target: MenuTarget;
  /** Null where the list is not in the queue's order. */
  readonly onMove: ((target: MenuTarget, to: 'first' | 'up' | 'down' | 'last') => void) | null;
  readonly onClose: () => void;
}

const priorities = ['high', 'normal', 'low'] as const;

/** The menu with all actions for a transfer. */
export function RowMenu({ target, onMove, onClose }: RowMenuProps) {
  const { transfer, button } = target;
  const { messages } = useFormat();
  const { act } = messages.transfers;
  const actions = useTransferActions();
  const bridge = desktopBridge();
  const choose = (run: () => void) => () => {
    onClose();
    run();
  };
  const item = (label: string, run: () => void) => <MenuItem key={label} label={label} onChoose={choose(run)} />;
  const main = primaryAction(transfer);
  const end = removalOf(transfer);
  const shown = transfer.kind === 'download' ? transfer.dst_folder : transfer.paths[0];

  return (
    <Menu label={messages.transfers.row.more(transfer.name)} button={button} onClose={onClose}>
      {item(act.open, () => goTo({ name: 'transfer', id: transfer.id }))}
      {main ? item(act[main], () => actions.do(`${main}Transfer`, transfer.id)) : null}
      {isAllowed(transfer, 'pauseFor') ? item(act.pauseFor, () => actions.do('pauseTransfer', transfer.id, 1)) : null}
      {bridge && shown ? item(act.reveal, () => void bridge.revealFolder(shown)) : null}
      {onMove && isAllowed(transfer, 'move') ? (
        <>
          <hr />
          {(['first', 'up', 'down', 'last'] as const).map((to) => item(act[to], () => onMove(target, to)))}
        </>
      ) : null}
      {isAllowed(transfer, 'priority') ? (
        <fieldset className="menu-group">
          <legend>{act.priority}</legend>
          {priorities.map((priority) => (
            <MenuItem
              key={priority}
              label={act[priority]}
              checked={transfer.priority === priority}
              onChoose={choose(() => void actions.change(transfer.id, { priority }))}
            />
          ))}
        </fieldset>
      ) : null}
      <hr />
      {item(act[end], () => actions.end(transfer))}
    </Menu>
  );
}
