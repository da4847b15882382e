import type { PersonsRemedy } from '#protocol/agent/remedy.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

/** What a button does for a transfer that stays as it is until a person does something. */
export type Way =
  /** Once more: what was wrong is put right elsewhere, such as on the disk, or by somebody else. */
  | 'again'
  | 'sign_in'
  | 'password'
  | 'access_code'
  | 'folder'
  /** Without the files that failed. */
  | 'finalize'
  /** The form to send, filled in as it was. */
  | 'send_again'
  /** The form to get, for a link that the sender gives anew. */
  | 'other_link'
  /** Which folders may be used. */
  | 'settings'
  /** Logs and state for whoever helps. */
  | 'support';

const down = ({ kind }: AgentTransfer): boolean => kind === 'download';

/** Each remedy has its ways out, the likeliest first. */
const ways: Readonly<Record<PersonsRemedy, (transfer: AgentTransfer) => readonly Way[]>> = {
  wait: () => ['again'],
  // Files of a download that did not come may have room in another folder.
  retry: (transfer) => (down(transfer) && told(transfer)?.cause === 'files_failed' ? ['again', 'folder'] : ['again']),
  sign_in: () => ['sign_in', 'again'],
  new_password: (transfer) => (down(transfer) ? ['password'] : ['again']),
  new_access_code: (transfer) => (transfer.portal ? ['access_code'] : ['again']),
  free_space: (transfer) => (down(transfer) && told(transfer)?.cause !== 'agent_disk_full' ? ['folder', 'again'] : ['again']),
  other_folder: (transfer) => (down(transfer) ? ['folder', 'again'] : ['send_again', 'settings']),
  other_name: () => ['again'],
  restore_files: () => ['again'],
  finalize_without: () => ['finalize', 'again'],
  correct_request: (transfer) => (down(transfer) ? ['other_link'] : ['send_again', 'again']),
  ask_sender: (transfer) => (down(transfer) ? ['other_link', 'again'] : ['again']),
  ask_recipient: () => ['again'],
  ask_team: () => ['again'],
  ask_operator: () => ['again'],
  report: () => ['support', 'again'],
};

const told = ({ state, error, waiting }: AgentTransfer) => (state === 'error' ? error : waiting);

/** Whether it stays as it is until a person does something. */
export function needsPerson(transfer: AgentTransfer): boolean {
  return transfer.state === 'error' || (transfer.state === 'transferring' && transfer.waiting?.needs_person === true);
}

/** The ways out of what it stands in; none while it needs nobody. An older agent names no remedy. */
export function waysOut(transfer: AgentTransfer): readonly Way[] {
  return needsPerson(transfer) ? ways[told(transfer)?.remedy ?? 'retry'](transfer) : [];
}
