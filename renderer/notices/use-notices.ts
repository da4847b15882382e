import { useEffect } from 'react';
import { useApp } from '../app/context.ts';
import { goTo } from '../app/route.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useSettings } from '../settings/queries.ts';
import { useTongue } from '../words/words.ts';
import { createEnds } from './ends.ts';
import { noticeOf } from './notice.ts';
import { mayNotify } from './permission.ts';

/** Of one answer of the stream: who comes back after a night needs no hundred. */
const mostAtOnce = 5;

/**
 * Tells in a browser when something was sent or received, or failed, while the person looks at something else.
 * The desktop app does that by itself, with or without its page.
 */
export function useNotices(): void {
  const { feed } = useApp();
  const { words } = useTongue();
  const wanted = useSettings().data?.notifications ?? false;
  useEffect(() => {
    if (!wanted || desktopBridge()) return;
    const ended = createEnds();
    return feed.listen((news) => {
      if (news.type !== 'events') return;
      const ends = news.events.map(ended).filter((transfer) => transfer !== null);
      if (document.hasFocus() || mayNotify(window) !== 'granted') return;
      for (const transfer of ends.slice(-mostAtOnce)) {
        // Of several tabs the last one's stands: the tag is the same.
        const { title, ...how } = noticeOf(transfer, words);
        const notice = new Notification(title, { ...how, tag: transfer.id });
        notice.onclick = () => {
          window.focus();
          goTo({ place: 'transfer', id: transfer.id });
          notice.close();
        };
      }
    });
  }, [feed, words, wanted]);
}
