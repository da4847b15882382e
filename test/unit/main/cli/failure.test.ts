import { describe, expect, it } from 'vitest';
import { ListenError } from '#agent-api/listen-error.ts';
import { EngineError } from '#engine/errors.ts';
import { exitCodes } from '#main/cli/exit-codes.ts';
import { CommandError, exitCodeOf, exitCodeOfNumber, sentenceOf } from '#main/cli/failure.ts';
import { AgentError, ApiError, type ErrorName, errorCatalogue } from '#protocol/errors.ts';

const system = (code: string) => Object.assign(new Error(code), { code });

describe('how a failure ends a command', () => {
  it.each<[string, unknown, number]>([
    ['no session', new AgentError('session_is_nil'), exitCodes.credential],
    ['a wrong key', new ApiError('credential_invalid', { header: 'X-API-KEY' }), exitCodes.credential],
    ['a suspended key', new ApiError('key_suspended'), exitCodes.credential],
    ['no permission', new ApiError('not_allowed', { detail: 'Guests only read.' }), exitCodes.credential],
    ['no service', new ApiError('service_unreachable'), exitCodes.unreachable],
    ['no storage', new ApiError('storage_unavailable'), exitCodes.unreachable],
    ['an unknown link', new ApiError('not_found'), exitCodes.notFound],
    ['an expired link', new ApiError('link_expired'), exitCodes.notFound],
    ['no link at all', new ApiError('link_malformed'), exitCodes.usage],
    ['a full disk', new AgentError('storage_full'), exitCodes.local],
    ['a vanished path', new AgentError('path_not_found'), exitCodes.local],
    ['something else', new ApiError('internal'), exitCodes.failure],
    ['a data folder in use', new EngineError('data_folder_in_use', 'x'), exitCodes.local],
    ['a bad address', new EngineError('bad_service_url', 'x'), exitCodes.usage],
    ['a taken port', new ListenError('127.0.0.1:80', system('EADDRINUSE')), exitCodes.listen],
    ["a command's own", new CommandError(exitCodes.usage, 'x'), exitCodes.usage],
    ['a full disk, deep down', new Error('x', { cause: system('ENOSPC') }), exitCodes.local],
    ['a taken port, deep down', new Error('x', { cause: system('EADDRINUSE') }), exitCodes.listen],
    ['a full state disk', system('SQLITE_FULL'), exitCodes.local],
    ['a full state disk, as an agent tells it', new AgentError('agent_disk_full'), exitCodes.local],
    ['a full state disk, at the start', new EngineError('data_folder_unusable', 'x', { cause: system('SQLITE_FULL') }), exitCodes.local],
    ['a state disk that fails', new Error('x', { cause: system('SQLITE_IOERR_WRITE') }), exitCodes.local],
    ['a state disk that cannot be written', system('SQLITE_READONLY'), exitCodes.local],
    ['a state statement that is wrong', system('SQLITE_CONSTRAINT_UNIQUE'), exitCodes.failure],
    ['a bug', new TypeError('x is undefined'), exitCodes.failure],
    ['no error', 'text', exitCodes.failure],
  ])('%s', (_, error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });

  it.each(Object.keys(errorCatalogue) as ErrorName[])('%s has the same code by number as by name', (name) => {
    expect(exitCodeOfNumber(errorCatalogue[name].code)).toBe(exitCodeOf(new AgentError(name)));
    expect(exitCodeOf(new AgentError(name))).not.toBe(exitCodes.ok);
  });

  it('an unknown number is a plain failure', () => expect(exitCodeOfNumber(0)).toBe(exitCodes.failure));
});

describe('what a failure says', () => {
  it('is one line', () => expect(sentenceOf(new Error('It broke\n    at x'))).toBe('It broke at x'));
  it('names the disk that is full', () => {
    expect(sentenceOf(system('SQLITE_FULL'))).toMatch(/^The disk with the agent's data folder is full\. /);
    expect(sentenceOf(system('SQLITE_IOERR_READ'))).toContain('state file cannot be used: SQLITE_IOERR_READ.');
  });
  it('is never empty', () => expect(sentenceOf(new Error(''))).toBe('Something went wrong.'));
  it('steers no terminal', () => expect(sentenceOf(new Error('\u001b[31mred'))).toBe('red'));
  it('tells a person what "session is nil" means', () => {
    const cause = new ApiError('credential_invalid', { header: 'X-API-KEY' });
    expect(sentenceOf(new AgentError('session_is_nil', {}, { cause }))).toMatch(
      /^The sign-in failed: The credential in X-API-KEY is not valid/,
    );
    expect(sentenceOf(new AgentError('session_is_nil'))).toMatch(/^Nobody is signed in\. .*--api-key-file/);
  });
});
