import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Automation, AutomationKind, DraftAutomation } from '#protocol/agent/automations/automation.ts';
import type { TestPatterns } from '#protocol/agent/automations/dry-run.ts';
import type { PreviewPortal } from '#protocol/agent/previews.ts';
import { useApp } from '../../app/context.ts';
import type { PortalAddress } from '../../send/portal/portal-address.ts';
import { absorbAutomation } from '../queries.ts';
import type { Draft } from './draft.ts';
import { changesOf, createCalls, type Fields, fieldsOf } from './fields.ts';

/** Milliseconds without a change before the agent is asked. */
const quiet = 500;

/** A value once it has stayed the same for a moment. It has to be comparable by its JSON. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as T), quiet);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** What a dry run is of: an automation as it is saved, or as it stands in the editor, with the id of the saved one if there is one. */
export type DryRunOf = { readonly id: string } | { readonly id?: string; readonly kind: AutomationKind; readonly automation: Fields };

/**
 * What an automation would do now. A new draft takes the place of a question under way; what is shown stays until its
 * answer is there. Null asks nothing.
 */
export function useDryRun(draft: DryRunOf | null) {
  const { client } = useApp();
  const settled = useSettled(draft);
  const query = useQuery({
    queryKey: ['automation-dry-run', settled],
    queryFn: ({ signal }) =>
      settled && !('kind' in settled)
        ? client.call('dryRunAutomation', { params: { id: settled.id }, signal })
        : client.call('dryRunDraftAutomation', { body: settled as DraftAutomation, signal }),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  return { ...query, isBehind: JSON.stringify(settled) !== JSON.stringify(draft) || query.isFetching };
}

export function useTestedPatterns(request: TestPatterns) {
  const { client } = useApp();
  const settled = useSettled(request);
  return useQuery({
    queryKey: ['test-patterns', settled],
    queryFn: ({ signal }) => client.call('testAutomationPatterns', { body: settled, signal }),
    enabled: settled.names.length > 0,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}

/** The Portal that was typed, with its form. */
export function usePortal(address: PortalAddress | { readonly id: string } | null, accessCode: string) {
  const { client } = useApp();
  const settled = useSettled({ address, accessCode });
  return useQuery({
    queryKey: ['portal', settled],
    queryFn: ({ signal }) => client.call('previewPortal', { body: portalQuestion(settled.address!, settled.accessCode), signal }),
    enabled: settled.address !== null,
    gcTime: 0,
    retry: false,
  });
}

function portalQuestion(address: PortalAddress | { readonly id: string }, code: string): PreviewPortal {
  const named =
    'id' in address
      ? { portal_id: address.id }
      : { subdomain: address.subdomain, ...(address.service === null ? {} : { service_url: address.service }) };
  return { ...named, ...(code.trim() ? { access_code: code.trim() } : {}) };
}

/** The Portals of a Team. None is asked for while there is no Team. */
export function useTeamPortals(teamId: string) {
  const { client } = useApp();
  return useQuery({
    queryKey: ['team-portals', teamId],
    queryFn: ({ signal }) => client.call('listTeamPortals', { params: { team_id: teamId }, signal }),
    enabled: teamId !== '',
    retry: false,
  });
}

/** Makes the automation, or changes the one that is there. */
export function useSaveAutomation(automation: Automation | undefined) {
  const { client } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (draft: Draft): Promise<Automation> => {
      if (automation) return client.call('updateAutomation', { params: { id: automation.id }, body: changesOf(automation, draft) });
      // The fields are those of the draft's kind; which it is, is known only now.
      return client.call(createCalls[draft.kind], { body: fieldsOf(draft) as never });
    },
    onSuccess: (saved) => absorbAutomation(cache, saved),
  });
}
