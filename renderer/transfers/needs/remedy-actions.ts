import type { PersonsRemedy } from '#protocol/agent/remedy.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** What a button does for a transfer that needs a person. */
export type RemedyAction =
  /** Tries again, after the cause was removed elsewhere, e.g. on the disk. */
  | 'retry'
  | 'sign_in'
  | 'password'
  | 'code'
  | 'access_code'
  | 'folder'
  /** Goes on without the files that failed: an upload's package is finalized, a download is done. */
  | 'finalize'
  /** Opens the send form with the same values. */
  | 'send_again'
  /** Opens the download form, for a new link from the sender. */
  | 'other_link'
  /** Opens the settings, which say which folders may be used. */
  | 'settings'
  /** Opens the page with the support bundle. */
  | 'support';

const isDownload = ({ kind }: AgentTransfer): boolean => kind === 'download';

/** The actions for each remedy, the most likely one first. The type requires one for a new remedy. */
const actionsByRemedy: Readonly<Record<PersonsRemedy, (transfer: AgentTransfer) => readonly RemedyAction[]>> = {
  wait: () => ['retry'],
  // A download's failed files may fit into another folder.
  retry: (transfer) =>
    isDownload(transfer) && failureOf(transfer)?.cause === 'files_failed' ? ['retry', 'folder', 'finalize'] : ['retry'],
  sign_in: () => ['sign_in', 'retry'],
  new_password: (transfer) => (isDownload(transfer) ? ['password'] : ['retry']),
  new_code: (transfer) => (isDownload(transfer) ? ['code'] : ['retry']),
  new_access_code: (transfer) => (transfer.portal ? ['access_code'] : ['retry']),
  free_space: (transfer) => (isDownload(transfer) && failureOf(transfer)?.cause !== 'agent_disk_full' ? ['folder', 'retry'] : ['retry']),
  other_folder: (transfer) => (isDownload(transfer) ? ['folder', 'retry'] : ['send_again', 'settings']),
  other_name: () => ['retry'],
  restore_files: () => ['retry'],
  finalize_without: (transfer) => (isDownload(transfer) ? ['finalize', 'retry', 'folder'] : ['finalize', 'retry']),
  correct_request: (transfer) => (isDownload(transfer) ? ['other_link'] : ['send_again', 'retry']),
  ask_sender: (transfer) => (isDownload(transfer) ? ['other_link', 'retry'] : ['retry']),
  ask_recipient: () => ['retry'],
  ask_team: () => ['retry'],
  ask_operator: () => ['retry'],
  report: () => ['support', 'retry'],
};

const failureOf = ({ state, error, waiting }: AgentTransfer) => (state === 'error' ? error : waiting);

/** Whether the transfer makes no progress until a person acts. */
export function needsPerson(transfer: AgentTransfer): boolean {
  return transfer.state === 'error' || (transfer.state === 'transferring' && transfer.waiting?.needs_person === true);
}

/** The actions for a transfer; none while it needs no person. An older agent sends no remedy: `retry` is assumed. */
export function remedyActions(transfer: AgentTransfer): readonly RemedyAction[] {
  return needsPerson(transfer) ? actionsByRemedy[failureOf(transfer)?.remedy ?? 'retry'](transfer) : [];
}
