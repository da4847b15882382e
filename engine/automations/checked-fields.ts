import type { TObject } from 'typebox';
import { Value } from 'typebox/value';
import { type AutomationKind, automationBodies } from '#protocol/agent/automations/automation.ts';
import { ApiError } from '#protocol/errors.ts';
import { fieldPath, pointerSteps } from '#protocol/field-path.ts';
import { ruleOf } from '#protocol/schema-rules.ts';
import { isUploadKind } from './record.ts';
import { packageNameFault } from './rules/package-name.ts';
import { compilePatterns } from './rules/patterns.ts';

/** Fields of any kind, as a caller gave them. */
export type GivenFields = Readonly<Record<string, unknown>>;

const invalid = (detail: string): ApiError => new ApiError('invalid_request', { detail });

/**
 * The fields of a new or changed automation, with defaults, held to those of its kind. `invalid_request` names the first
 * field that is wrong.
 */
export function checkedFields(kind: AutomationKind, given: GivenFields): GivenFields {
  const schema: TObject = automationBodies[kind];
  const foreign = Object.keys(given).find((name) => !(name in schema.properties));
  if (foreign !== undefined) throw invalid(`The field ${foreign} is none of this kind of automation (${kind}).`);
  const fields = Value.Default(schema, structuredClone(given)) as GivenFields;
  if (!Value.Check(schema, fields)) {
    const [first] = Value.Errors(schema, fields);
    throw invalid(faultOf(first));
  }
  if (isUploadKind(kind)) checkUpload(kind, fields);
  checkPatterns(fields);
  return fields;
}

function faultOf(error: ReturnType<typeof Value.Errors>[number] | undefined): string {
  if (error === undefined) return 'The fields are not valid.';
  const path = pointerSteps(error.instancePath);
  const params = error.params as Readonly<Record<string, unknown>>;
  const [missing] = (params['requiredProperties'] ?? []) as readonly string[];
  if (missing !== undefined) return `The field ${fieldPath([...path, missing])} is missing.`;
  const rule = ruleOf({ ...error, params });
  return path.length === 0 ? `The fields are not valid: ${rule}.` : `The field ${fieldPath(path)} ${rule}.`;
}

function checkUpload(kind: AutomationKind, fields: GivenFields): void {
  const { after, move_to: moveTo, package_name: name, growing, package_per: per } = fields;
  if (after === 'move' && moveTo === undefined) throw invalid('The field move_to is missing: it says where files are moved.');
  if (typeof name === 'string') {
    const fault = packageNameFault(name);
    if (fault !== null) throw invalid(`The field package_name cannot be used: ${fault}`);
  }
  if (growing === true && per === 'marker') {
    throw invalid('The field growing cannot be set where package_per is marker: a marker says that a folder is whole.');
  }
  if (kind === 'portal_upload' && fields['portal_id'] === undefined && fields['subdomain'] === undefined) {
    throw invalid('Name the Portal, by subdomain or portal_id.');
  }
}

function checkPatterns(fields: GivenFields): void {
  const patterns = fields as { include?: string[]; exclude?: string[]; not_ready?: string[] };
  try {
    compilePatterns({ include: patterns.include, exclude: patterns.exclude, notReady: patterns.not_ready });
  } catch (cause) {
    throw invalid(`A pattern cannot be read: ${(cause as Error).message}`);
  }
}
