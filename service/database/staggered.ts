/**
 * Asks one after the other, and does not wait for one that is silent: the next is asked as soon as the one before has failed, or a
 * pause is over ("happy eyeballs"). The first answer counts; who is still asked then is told by the signal.
 *
 * @throws AggregateError of all failures, in the order of `all`
 */
export async function firstToAnswer<One, Answer>(
  all: readonly One[],
  ask: (one: One, over: AbortSignal) => Promise<Answer>,
  pause: (over: AbortSignal) => Promise<unknown>,
): Promise<Answer> {
  const over = new AbortController();
  const failures: unknown[] = all.map(() => undefined);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let left = all.length;

  const begin = (index: number): void => {
    if (index === all.length || over.signal.aborted) return;
    const ended = new AbortController();
    let isNextBegun = false;
    const beginNext = (): void => {
      if (isNextBegun) return;
      isNextBegun = true;
      begin(index + 1);
    };
    pause(AbortSignal.any([over.signal, ended.signal])).then(beginNext, () => undefined);
    ask(all[index]!, over.signal).then(resolve, (error: unknown) => {
      failures[index] = error;
      left -= 1;
      ended.abort();
      beginNext();
      if (left === 0) reject(new AggregateError(failures, 'None answered.'));
    });
  };
  begin(0);
  try {
    return await promise;
  } finally {
    over.abort();
  }
}
