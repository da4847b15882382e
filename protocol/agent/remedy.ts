import { Type } from 'typebox';
import { Literals } from '../schema.ts';

/** A user's remedies for a failure, in machine-readable form: each is a button, or a line of advice. */
export const remedies = [
  /** It is retried automatically; the user can only retry sooner. */
  'wait',
  'retry',
  'sign_in',
  'new_password',
  'new_access_code',
  'free_space',
  'other_folder',
  'other_name',
  /** Restore files, or give the agent permission to read them. */
  'restore_files',
  /** Finalize without the files that failed. */
  'finalize_without',
  'correct_request',
  'ask_sender',
  'ask_recipient',
  'ask_team',
  'ask_operator',
  'report',
] as const;
export type PersonsRemedy = (typeof remedies)[number];

/** Values of `cause` besides those of the error catalogue: what can fail between a file and the storage. */
export type TransferCause =
  | 'unreachable'
  | 'cut'
  | 'stalled'
  | 'wrong_answer'
  | 'address_refused'
  | 'upload_gone'
  | 'object_gone'
  | 'storage_busy'
  | 'storage_failed'
  | 'storage_full'
  | 'storage_refused'
  | 'chunk_mismatch'
  | 'line_damages'
  | 'chunk_spoiled'
  | 'digest_mismatch'
  | 'file_changed'
  | 'source_gone'
  | 'source_unreadable'
  | 'target_exists'
  | 'target_unwritable'
  | 'disk_full';

/** Fields that the agent adds to the message of every failure. */
export const remedyFields = {
  cause: Type.Optional(
    Type.String({ description: 'What failed, as a name that does not change: an error of the catalogue, or of moving bytes.' }),
  ),
  remedy: Type.Optional(Literals(remedies, { description: 'What helps against it.' })),
  needs_person: Type.Optional(Type.Boolean({ description: 'Whether it stays so until a person does something.' })),
};
