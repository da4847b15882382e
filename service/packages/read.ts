import type { HandlersOf } from '../handler.ts';
import { seePackage } from './access.ts';
import { toPackage } from './row.ts';

/**
 * A package by any of its tokens (contract/conventions.md §9.3). The record contains the token of the request, so it
 * grants the same rights for the same time, and no more. A recipient sees no other recipients, and a sender through a
 * Portal sees none.
 */
export const getPackage: HandlersOf<'getPackage'>['getPackage'] = async ({ params }, context) => {
  const { credential } = context;
  const { row, linkEmail } = await seePackage(context, params.package_id);
  const seesAll = credential.userId !== null;
  return toPackage(row, { accessToken: credential.token, recipients: seesAll ? row.recipients : linkEmail === '' ? [] : [linkEmail] });
};
