import { Type } from 'typebox';
import { defineRoutes } from '../../route.ts';
import { Id, Page } from '../../schema.ts';
import {
  AllPortalsDownloadAutomation,
  Automation,
  DraftAutomation,
  PortalDownloadAutomation,
  PortalUploadAutomation,
  TeamUploadAutomation,
  UpdateAutomation,
} from './automation.ts';
import { DryRun, TestedPatterns, TestPatterns } from './dry-run.ts';
import { AnswerQuestion, AutomationQuestion, AutomationResult, ForgetEntries, LedgerEntry, LedgerQuery, ResultQuery } from './history.ts';

/** Folders that are uploaded automatically, and Portals that are downloaded automatically: contract/agent.md §10. */

const AutomationParams = Type.Object({ id: Id });
const QuestionParams = Type.Object({ id: Id, question_id: Id });
const Yaml = Type.Object({
  yaml: Type.String({ maxLength: 1_000_000, examples: ['automations:\n  - name: Renders\n    kind: team_upload\n'] }),
});
const Count = Type.Integer({ minimum: 0 });

const common = { tag: 'Automations', credentials: ['none'] } as const;
const ofOne = { ...common, params: AutomationParams } as const;
const made = { status: 201, body: Automation } as const;
const pathErrors = ['path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside', 'folders_overlap'] as const;
const makingErrors = ['already_exists', ...pathErrors] as const;
const portalErrors = ['service_unreachable', 'not_found', 'access_code_wrong'] as const;
const teamErrors = ['session_is_nil', 'not_found'] as const;

const exampleTeam = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';

export const automationRoutes = defineRoutes({
  listAutomations: {
    ...common,
    method: 'GET',
    path: '/api/v1/automations',
    summary: 'Lists the automations.',
    reply: { status: 200, body: Type.Array(Automation) },
  },
  createPortalUploadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/portal_upload',
    summary: 'Watches a folder and sends what appears in it through a Portal. Needs no session.',
    body: PortalUploadAutomation,
    reply: made,
    errors: [...makingErrors, ...portalErrors],
    example: { name: 'Camera cart', active: true, folder: '/media/cart', subdomain: 'northlight', sender: 'mia@example.com' },
  },
  createTeamUploadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/team_upload',
    summary: 'Watches a folder and sends what appears in it to a Team.',
    body: TeamUploadAutomation,
    reply: made,
    errors: [...makingErrors, ...teamErrors],
    example: { name: 'Renders', active: true, folder: '/media/renders', team_id: exampleTeam, recipients: ['post@example.com'] },
  },
  createPortalDownloadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/portal_download',
    summary: 'Downloads every package that comes in through a Portal.',
    body: PortalDownloadAutomation,
    reply: made,
    errors: ['session_is_nil', ...makingErrors, 'service_unreachable', 'not_found'],
    example: {
      name: 'Northlight in',
      active: true,
      team_id: exampleTeam,
      portal_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c',
      dst_folder: '/media/incoming',
    },
  },
  createAllPortalsDownloadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/all_portals_download',
    summary: 'Downloads every package that comes in through any Portal of a Team.',
    body: AllPortalsDownloadAutomation,
    reply: made,
    errors: ['session_is_nil', ...makingErrors],
    example: { name: 'All in', active: true, team_id: exampleTeam, dst_folder: '/media/incoming' },
  },
  dryRunDraftAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/dry_run',
    summary: 'Shows what an automation that is not saved, or not so, would do now, and does nothing.',
    body: DraftAutomation,
    reply: { status: 200, body: DryRun },
    errors: ['session_is_nil', ...pathErrors, ...portalErrors],
    example: {
      kind: 'team_upload',
      automation: { name: 'Renders', active: true, folder: '/media/renders', team_id: exampleTeam, recipients: [] },
    },
  },
  testAutomationPatterns: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/test_patterns',
    summary: 'Says of each name whether patterns would send it, and which of them decides.',
    body: TestPatterns,
    reply: { status: 200, body: TestedPatterns },
    example: { include: ['*.mov'], exclude: ['*_proxy.mov'], names: ['A001.mov', 'A001_proxy.mov'] },
  },
  exportAutomations: {
    ...common,
    method: 'GET',
    path: '/api/v1/automations/export',
    summary: 'Writes automations as YAML, without secrets: all, or those that are named.',
    query: Type.Object({ ids: Type.Optional(Type.Array(Id, { maxItems: 1_000 })) }),
    reply: { status: 200, body: Yaml },
  },
  importAutomations: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/import',
    summary: 'Makes or changes the automations of a YAML text, found by their names. All are taken, or none.',
    body: Yaml,
    reply: {
      status: 200,
      body: Type.Object({ created: Count, updated: Count, unchanged: Count, automations: Type.Array(Automation) }),
    },
    errors: ['session_is_nil', ...makingErrors, ...portalErrors],
  },
  getAutomation: {
    ...ofOne,
    method: 'GET',
    path: '/api/v1/automations/{id}',
    summary: 'Reads an automation.',
    reply: { status: 200, body: Automation },
    errors: ['not_found'],
  },
  updateAutomation: {
    ...ofOne,
    method: 'PUT',
    path: '/api/v1/automations/{id}',
    summary: 'Changes an automation. Its kind stays.',
    body: UpdateAutomation,
    reply: { status: 200, body: Automation },
    errors: ['session_is_nil', ...makingErrors, ...portalErrors],
    example: { active: false },
  },
  deleteAutomation: {
    ...ofOne,
    method: 'DELETE',
    path: '/api/v1/automations/{id}',
    summary: 'Deletes an automation. Transfers that it started go on.',
    reply: { status: 204 },
    errors: ['not_found'],
  },
  dryRunAutomation: {
    ...ofOne,
    method: 'POST',
    path: '/api/v1/automations/{id}/dry_run',
    summary: 'Shows what an automation would do now, and does nothing.',
    reply: { status: 200, body: DryRun },
    errors: ['session_is_nil', ...pathErrors, ...portalErrors],
  },
  pauseAutomation: {
    ...ofOne,
    method: 'PUT',
    path: '/api/v1/automations/{id}/pause',
    summary: 'Lets an automation rest. Its transfers go on.',
    reply: { status: 204 },
    errors: ['not_found'],
  },
  resumeAutomation: {
    ...ofOne,
    method: 'PUT',
    path: '/api/v1/automations/{id}/resume',
    summary: 'Lets an automation that rests work again.',
    reply: { status: 204 },
    errors: ['not_found'],
  },
  runAutomation: {
    ...ofOne,
    method: 'POST',
    path: '/api/v1/automations/{id}/run',
    summary: 'Has an automation look now.',
    reply: { status: 204 },
    errors: ['not_found', 'state_conflict'],
  },
  duplicateAutomation: {
    ...ofOne,
    method: 'POST',
    path: '/api/v1/automations/{id}/duplicate',
    summary: 'Makes a copy that rests, under another name, and knows nothing of what was sent.',
    reply: made,
    errors: ['not_found', 'path_outside'],
  },
  listAutomationResults: {
    ...ofOne,
    method: 'GET',
    path: '/api/v1/automations/{id}/results',
    summary: 'Lists what an automation did last, the newest first.',
    query: ResultQuery,
    reply: { status: 200, body: Type.Array(AutomationResult) },
    errors: ['not_found', 'path_outside'],
  },
  listAutomationLedger: {
    ...ofOne,
    method: 'GET',
    path: '/api/v1/automations/{id}/ledger',
    summary: 'Lists what an automation knows as sent or received, the newest first.',
    query: LedgerQuery,
    reply: { status: 200, body: Page(LedgerEntry) },
    errors: ['not_found', 'path_outside'],
  },
  forgetAutomationEntries: {
    ...ofOne,
    method: 'POST',
    path: '/api/v1/automations/{id}/forget',
    summary: 'Takes entries out of the ledger: what is still there counts as new. What is under way stays.',
    body: ForgetEntries,
    reply: { status: 200, body: Type.Object({ forgotten: Count }) },
    errors: ['not_found', 'path_outside'],
    example: { ids: ['17'] },
  },
  listAutomationQuestions: {
    ...ofOne,
    method: 'GET',
    path: '/api/v1/automations/{id}/questions',
    summary: "Lists the entries that wait for answers to their Portal's form.",
    reply: { status: 200, body: Type.Array(AutomationQuestion) },
    errors: ['not_found', 'path_outside'],
  },
  answerAutomationQuestion: {
    ...common,
    params: QuestionParams,
    method: 'POST',
    path: '/api/v1/automations/{id}/questions/{question_id}/answer',
    summary: 'Answers the question of an entry, which is then sent.',
    body: AnswerQuestion,
    reply: { status: 204 },
    errors: ['not_found', 'path_outside', 'form_response_incomplete'],
    example: { form: { camera: { value: 'A' } } },
  },
});
