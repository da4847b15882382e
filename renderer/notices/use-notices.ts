import { useEffect } from 'react';
import { useApp } from '../app/context.ts';
import { goTo } from '../app/route.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { useSettings } from '../settings/queries.ts';
import { createEnds } from './ends.ts';
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
    const ended = createEnds();
    return feed.listen((news) => {
      if (news.type !== 'events') return;
      const ends = news.events.map(ended).filter((transfer) => transfer !== null);
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
