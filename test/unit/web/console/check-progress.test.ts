import { expect, it } from 'vitest';
import type { ConnectionCheckEvent } from '#protocol/hosted/connections.ts';
import { newProgress, withEvent } from '#web/console/integrations/check-progress.ts';

const after = (...events: ConnectionCheckEvent[]) => events.reduce(withEvent, newProgress);
const result = (step: 'put' | 'list', ok = true) => ({ step, ok, message: '' });
const began = (folder: string, step: 'put' | 'list'): ConnectionCheckEvent => ({ type: 'step_began', folder, step });
const ended = (folder: string, step: 'put' | 'list', ok = true): ConnectionCheckEvent => ({
  type: 'step_ended',
  folder,
  ...result(step, ok),
});

it('shows a step while it is under way, then how it went', () => {
  expect(after(began('in', 'put')).folders).toEqual([{ folder: 'in', steps: [{ step: 'put', result: null }] }]);
  expect(after(began('in', 'put'), ended('in', 'put'), began('in', 'list')).folders).toEqual([
    {
      folder: 'in',
      steps: [
        { step: 'put', result: result('put') },
        { step: 'list', result: null },
      ],
    },
  ]);
});

it('shows steps of a gateway, which are told at its end', () => {
  expect(after(began('', 'put'), ended('', 'put'), ended('', 'list', false)).folders).toEqual([
    {
      folder: '',
      steps: [
        { step: 'put', result: result('put') },
        { step: 'list', result: result('list', false) },
      ],
    },
  ]);
});

it('keeps folders apart, and ends with the check', () => {
  const check = { ok: true, steps: [], notes: [] };
  const { folders, check: found } = after(began('a', 'put'), ended('a', 'put', false), began('b', 'put'), ended('b', 'put'), {
    type: 'ended',
    check,
  });
  expect(folders.map(({ folder, steps }) => [folder, steps.map((one) => one.result?.ok)])).toEqual([
    ['a', [false]],
    ['b', [true]],
  ]);
  expect(found).toBe(check);
});
