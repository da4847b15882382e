import type { SchemaProblem } from './route-schemas.ts';
import { patternRules } from './schema.ts';

/** What a value must be that does not match its schema, as the end of a sentence that begins with the field's name. */
export function ruleOf(problem: SchemaProblem): string {
  return knownRule(problem) ?? problem.message?.replace('must NOT', 'must not') ?? 'is not valid';
}

function knownRule({ keyword, params }: Pick<SchemaProblem, 'keyword' | 'params'>): string | null {
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type':
      return `must be of type ${String(params['type'])}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} entries`;
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${limit} entries`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    case 'propertyNames':
      return `has a name that is too long or empty: ${JSON.stringify(String(params['propertyName']).slice(0, 40))}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'format':
      return formats[String(params['format'])] ?? null;
    case 'pattern':
      return patternRules[String(params['pattern'])] ?? null;
    case 'anyOf':
      return 'does not have a form that is accepted';
    default:
      return null;
  }
}

const formats: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  'date-time': 'must be a date and time like 2026-11-20T18:04:11.000Z',
  date: 'must be a day like 2026-11-20',
  uri: 'must be an address like https://example.com/',
};
