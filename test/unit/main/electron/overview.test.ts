import { expect, it } from 'vitest';
import { OverviewState } from '#main/electron/overview.ts';
import { fakeTransfer } from '#test/support/engine/fake-engine.ts';

it('has no share while one of those that move may still grow: it would go back', () => {
  const state = new OverviewState();
  const counted = fakeTransfer({ id: 'counted', bytes: 80, total_bytes: 100 });
  const counting = fakeTransfer({ id: 'counting', bytes: 20, total_bytes: 100 });
  state.read([counted, { ...counting, total_grows: true }]);
  expect(state.overview(false)).toMatchObject({ moving: 2, share: null });
  state.apply({ type: 'transfer.changed', transfer_id: 'counting', transfer: { ...counting, total_bytes: 300 } } as never);
  expect(state.overview(false)).toMatchObject({ moving: 2, share: 0.25 });
});

it('goes by the share that is shown of each, which stands still where a file has become larger', () => {
  const state = new OverviewState();
  state.read([fakeTransfer({ id: 'a', bytes: 50, total_bytes: 200, share: 0.5 })]);
  expect(state.overview(false)).toMatchObject({ share: 0.5 });
});
