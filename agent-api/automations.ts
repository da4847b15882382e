import type { AgentHandlers } from './handler.ts';

type Names =
  | 'listAutomations'
  | 'createPortalUploadAutomation'
  | 'createTeamUploadAutomation'
  | 'createPortalDownloadAutomation'
  | 'createAllPortalsDownloadAutomation'
  | 'dryRunDraftAutomation'
  | 'testAutomationPatterns'
  | 'exportAutomations'
  | 'importAutomations'
  | 'getAutomation'
  | 'updateAutomation'
  | 'deleteAutomation'
  | 'dryRunAutomation'
  | 'pauseAutomation'
  | 'resumeAutomation'
  | 'runAutomation'
  | 'duplicateAutomation'
  | 'listAutomationResults'
  | 'listAutomationLedger'
  | 'forgetAutomationEntries'
  | 'listAutomationQuestions'
  | 'answerAutomationQuestion';

/** Calls of automations (contract/agent.md §10), over `Engine.automations`. */
export const automationHandlers: Pick<AgentHandlers, Names> = {
  listAutomations: async (_, { engine }) => engine.automations.list(),
  createPortalUploadAutomation: ({ body }, { engine, restricted }) => engine.automations.create('portal_upload', body, { restricted }),
  createTeamUploadAutomation: ({ body }, { engine, restricted }) => engine.automations.create('team_upload', body, { restricted }),
  createPortalDownloadAutomation: ({ body }, { engine, restricted }) => engine.automations.create('portal_download', body, { restricted }),
  createAllPortalsDownloadAutomation: ({ body }, { engine, restricted }) =>
    engine.automations.create('all_portals_download', body, { restricted }),
  dryRunDraftAutomation: ({ body }, { engine, restricted }) => engine.automations.dryRunDraft(body, { restricted }),
  testAutomationPatterns: async ({ body }, { engine }) => engine.automations.testPatterns(body),
  exportAutomations: async ({ query }, { engine }) => ({ yaml: engine.automations.export(query.ids) }),
  importAutomations: ({ body }, { engine, restricted }) => engine.automations.import(body.yaml, { restricted }),
  getAutomation: async ({ params }, { engine }) => engine.automations.get(params.id),
  updateAutomation: ({ params, body }, { engine, restricted }) => engine.automations.update(params.id, body, { restricted }),
  deleteAutomation: async ({ params }, { engine }) => {
    await engine.automations.remove(params.id);
    return undefined;
  },
  dryRunAutomation: ({ params }, { engine }) => engine.automations.dryRun(params.id),
  pauseAutomation: async ({ params }, { engine }) => {
    await engine.automations.pause(params.id);
    return undefined;
  },
  resumeAutomation: async ({ params }, { engine }) => {
    await engine.automations.resume(params.id);
    return undefined;
  },
  runAutomation: async ({ params }, { engine }) => {
    await engine.automations.run(params.id);
    return undefined;
  },
  duplicateAutomation: ({ params }, { engine, restricted }) => engine.automations.duplicate(params.id, { restricted }),
  listAutomationResults: async ({ params, query }, { engine }) => engine.automations.results(params.id, query.limit),
  listAutomationLedger: async ({ params, query }, { engine }) => {
    const { total, records } = engine.automations.ledger(params.id, query);
    return { metadata: { total }, records: [...records] };
  },
  forgetAutomationEntries: async ({ params, body }, { engine }) => ({ forgotten: await engine.automations.forget(params.id, body) }),
  listAutomationQuestions: async ({ params }, { engine }) => engine.automations.questions(params.id),
  answerAutomationQuestion: async ({ params, body }, { engine }) => {
    await engine.automations.answer(params.id, params.question_id, body.form);
    return undefined;
  },
};
