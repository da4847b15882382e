import { Type } from 'typebox';
import { receiptMediaType, receiptTable, ServiceKey } from '../receipt.ts';
import { defineRoutes } from '../route.ts';
import { PackageParams } from './packages.ts';

/** Receipts of packages (docs/decisions/0019). */

const ServiceKeys = Type.Object({ keys: Type.Array(ServiceKey) }, { title: 'ServiceKeys' });

export const receiptRoutes = defineRoutes({
  getReceipt: {
    method: 'GET',
    path: '/v1/packages/{package_id}/receipt',
    summary: 'The receipt of a finalized package: each file with its size, time and digest, signed by the service.',
    tag: 'Receipts',
    credentials: ['package:write', 'package:read', 'package:manage'],
    params: PackageParams,
    reply: { status: 200, stream: receiptMediaType },
    errors: ['not_found', 'not_allowed', 'state_conflict', 'package_expired', 'link_expired', 'link_inactive'],
    tables: [receiptTable],
  },
  serviceKeys: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The public keys that receipts are signed with, as a JSON Web Key Set (RFC 7517).',
    tag: 'Receipts',
    credentials: ['none'],
    reply: { status: 200, body: ServiceKeys },
  },
});
