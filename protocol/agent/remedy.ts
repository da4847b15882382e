import { Type } from 'typebox';
import { Literals } from '../schema.ts';

/** A user's remedies for a failure, in machine-readable form: each is a button, or a line of advice. */
export const remedies = [
  /** It is retried automatically; the user can only retry sooner. */
  'wait',
  'retry',
  'sign_in',
  'new_password',
  /** The code that a link's recipient is mailed. */
  'new_code',
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

/** What can fail between a file and the storage: the values of `cause` besides the names of the error catalogue. */
export type TransferCause =
  /** No connection, or no answer on it. */
  | 'unreachable'
  /** The connection broke while bytes were on their way. */
  | 'cut'
  /** No byte moved for longer than the stall time-out. */
  | 'stalled'
  /** The answer had the wrong length or range, or was not the storage's own. */
  | 'wrong_answer'
  /** 401 or 403: the address has expired or its signature is not accepted. */
  | 'address_refused'
  /** 404 of an upload: it was completed, aborted or never there. */
  | 'upload_gone'
  /** 404 or 410 of a download address. */
  | 'object_gone'
  /** 429 or 503. */
  | 'storage_busy'
  /** Another 5xx. */
  | 'storage_failed'
  /** 507: the storage has no room left. */
  | 'storage_full'
  /** Another 4xx; the message is the storage's own. */
  | 'storage_refused'
  /** What the storage holds is not what was sent. */
  | 'chunk_mismatch'
  /** Received bytes differ from the sent ones, and differ in a new way each time. */
  | 'line_damages'
  /** The same chunk was damaged in the same way twice: the network path or the storage always damages it. */
  | 'chunk_spoiled'
  /** The file's digest is not the sender's, and each download returns the same bytes. */
  | 'digest_mismatch'
  /** The file on disk changed after it was scanned. */
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
