import type { CredentialOf } from '../credentials/credential.ts';
import type { HandlersOf } from '../handler.ts';
import { seePackage } from './access.ts';
import { toPackage } from './row.ts';

type AnyPackageToken = CredentialOf<'package:write' | 'package:read' | 'package:manage'>;

const variantOf = (kind: AnyPackageToken['kind']) => kind.slice('package:'.length) as 'write' | 'read' | 'manage';

/**
 * A package by any of its tokens (decisions). The record's own token can do what the one shown could, and no more.
 * A recipient sees no other recipients, and whoever uploads for a Portal sees none.
 */
export const getPackage: HandlersOf<'getPackage'>['getPackage'] = async ({ params }, context) => {
  const { credential, tokens } = context;
  const { row, linkEmail } = await seePackage(context, params.package_id);
  const accessToken = await tokens.sign('package', {
    packageId: row.id,
    variant: variantOf(credential.kind),
    tokenId: credential.tokenId,
    linkId: credential.linkId,
    userId: credential.userId,
  });
  const seesAll = credential.userId !== null;
  return toPackage(row, { accessToken, recipients: seesAll ? row.recipients : linkEmail === '' ? [] : [linkEmail] });
};
