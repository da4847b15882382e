import { useShellTexts } from './texts.ts';

/** Lists are counted so far for whoever looks at them: of more, nobody needs to know how many. */
export const countedUpTo = 10_000;

/** For a list of which nobody is told how long it is. */
export const uncounted = 1;

/** How many records a list has, in words: `1,234`, or `more than 10,000`. */
export function useCountText(): (counted: { readonly total: number; readonly at_least?: boolean }) => string {
  const { messages, number } = useShellTexts();
  return ({ total, at_least: isMore }) => (isMore ? messages.moreThan(number(total)) : number(total));
}
