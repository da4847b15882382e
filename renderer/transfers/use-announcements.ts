import { useEffect, useState } from 'react';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import { useApp } from '../app/context.ts';
import { useFormat } from '../messages/format.ts';
import { announcement } from './describe-transfer.ts';

/** Maximum number of remembered states. Beyond it the least recently changed transfer is forgotten. */
const remembered = 1_000;

/** The text that a screen reader announces when a transfer ends or fails. */
export function useAnnouncements(): string {
  const { feed } = useApp();
  const format = useFormat();
  const [text, setText] = useState('');
  useEffect(() => {
    const states = new Map<string, TransferState>();
    return feed.listen((message) => {
      if (message.type !== 'events') return;
      const sentences: string[] = [];
      for (const event of message.events) {
        if (event.type !== 'transfer.added' && event.type !== 'transfer.changed') continue;
        const { transfer } = event;
        // A transfer without an earlier event was running: others have no events.
        const sentence = announcement(format, states.get(transfer.id) ?? 'transferring', transfer);
        states.delete(transfer.id);
        states.set(transfer.id, transfer.state);
        if (states.size > remembered) states.delete(states.keys().next().value!);
        if (sentence) sentences.push(sentence);
      }
      // A few at most: hundreds of names would drown everything else.
      if (sentences.length > 0) setText(sentences.slice(-5).join(' '));
    });
  }, [feed, format]);
  return text;
}
