import { useQueryClient } from '@tanstack/react-query';
import { createElement, useMemo } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { useApp } from '../../app/context.ts';
import { goTo } from '../../app/route.ts';
import { FaultText } from '../../messages/fault-text.tsx';
import { useTransferActions } from '../../transfers/actions/transfer-actions.tsx';
import { absorbAutomation, absorbRemovedAutomation } from '../queries.ts';

interface AutomationActions {
  /** Pauses it, or resumes it if it rests. */
  toggle(automation: Automation): void;
  /** Has it look now. */
  run(automation: Automation): void;
  /** Makes a copy, which rests, and opens its editor. */
  duplicate(automation: Automation): void;
  /** Resolves with whether it is removed. */
  remove(automation: Automation): Promise<boolean>;
}

/** What can be done with an automation at once. What came of it, or why it failed, is shown. */
export function useAutomationActions(): AutomationActions {
  const { client } = useApp();
  const cache = useQueryClient();
  const { notify } = useTransferActions();
  return useMemo(() => {
    const attempt = async <T>(work: Promise<T>): Promise<{ readonly answer: T } | null> => {
      try {
        return { answer: await work };
      } catch (error) {
        notify({ tone: 'bad', text: () => createElement(FaultText, { error }) });
        return null;
      }
    };
    return {
      toggle: ({ id, active }) => void attempt(client.call(active ? 'pauseAutomation' : 'resumeAutomation', { params: { id } })),
      async run({ id, name }) {
        if (await attempt(client.call('runAutomation', { params: { id } })))
          notify({ tone: 'plain', text: ({ messages }) => messages.automations.done.run(name) });
      },
      async duplicate({ id }) {
        const made = await attempt(client.call('duplicateAutomation', { params: { id } }));
        if (!made) return;
        absorbAutomation(cache, made.answer);
        notify({ tone: 'plain', text: ({ messages }) => messages.automations.done.duplicate(made.answer.name) });
        goTo({ name: 'edit-automation', id: made.answer.id });
      },
      async remove({ id, name }) {
        if (!(await attempt(client.call('deleteAutomation', { params: { id } })))) return false;
        absorbRemovedAutomation(cache, id);
        notify({ tone: 'plain', text: ({ messages }) => messages.automations.done.remove(name) });
        return true;
      },
    };
  }, [client, cache, notify]);
}
