import { useEffect } from 'react';
import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../app/context.ts';
import { goTo } from '../app/route.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { useSettings } from '../settings/queries.ts';
import { noticeOf } from './notice.ts';
import { mayNotify } from './permission.ts';

/** Maximum notifications for one chunk of the stream: after a night, a hundred at once would not help. */
const mostAtOnce = 5;

/**
 * Shows browser notifications for finished and failed transfers while the page is not in view. The desktop app does
 * this itself, with or without the page.
 */
export function useNotices(): void {
  const { feed } = useApp();
  const { messages } = useLocale();
  const wanted = useSettings().data?.notifications ?? false;
  useEffect(() => {
    if (!wanted || desktopBridge()) return;
    const ended = createEndDetector();
    return feed.listen((message) => {
      if (message.type !== 'events') return;
      const ends = message.events.map(ended).filter((transfer) => transfer !== null);
      if (document.hasFocus() || mayNotify(window) !== 'granted') return;
      for (const transfer of ends.slice(-mostAtOnce)) {
        // With several tabs only one notification is shown, since they use the same tag.
        const { title, ...how } = noticeOf(transfer, messages);
        const notice = new Notification(title, { ...how, tag: transfer.id });
        notice.onclick = () => {
          window.focus();
          goTo({ name: 'transfer', id: transfer.id });
          notice.close();
        };
      }
    });
  }, [feed, messages, wanted]);
}

/** Maximum number of remembered unfinished transfers. Beyond it the least recently seen one is forgotten. */
const remembered = 10_000;

/**
 * Takes the agent's events one by one and returns the transfer that an event ended, complete or failed. Only transfers
 * that were seen unfinished are reported: not those that had ended before, and not cancelled ones.
 */
export function createEndDetector(): (event: AgentEvent) => AgentTransfer | null {
  const unfinished = new Set<string>();
  return (event) => {
    if (event.type === 'transfer.removed') unfinished.delete(event.transfer_id);
    if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') return null;
    const { transfer } = event;
    const was = unfinished.delete(transfer.id);
    switch (transfer.state) {
      case 'complete':
      case 'error':
        return was ? transfer : null;
      case 'cancelled':
        return null;
      default:
        unfinished.add(transfer.id);
        if (unfinished.size > remembered) unfinished.delete(unfinished.keys().next().value!);
        return null;
    }
  };
}
