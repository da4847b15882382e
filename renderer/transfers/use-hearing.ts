import { useEffect, useState } from 'react';
import type { TransferState } from '#protocol/agent/transfers.ts';
import { useApp } from '../app/context.ts';
import { useFormat } from '../messages/format.ts';
import { announcement } from './describe-transfer.ts';

/** Transfers of which the last state is remembered, the longest unheard of go first. */
const remembered = 1_000;

/** What a screen reader hears when a transfer comes to an end or fails. */
export function useHearing(): string {
  const { feed } = useApp();
  const format = useFormat();
  const [heard, say] = useState('');
  useEffect(() => {
    const states = new Map<string, TransferState>();
    return feed.listen((news) => {
      if (news.type !== 'events') return;
      const said: string[] = [];
      for (const event of news.events) {
        if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') continue;
        const { transfer } = event;
        // One of which nothing was heard was moving before: what does not move makes no news.
        const text = announcement(format, states.get(transfer.id) ?? 'transferring', transfer);
        states.delete(transfer.id);
        states.set(transfer.id, transfer.state);
        if (states.size > remembered) states.delete(states.keys().next().value!);
        if (text) said.push(text);
      }
      // A screen reader that is read hundreds of names hears nothing else.
      if (said.length > 0) say(said.slice(-5).join(' '));
    });
  }, [feed, format]);
  return heard;
}
