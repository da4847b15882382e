import { describe, expect, it } from 'vitest';
import { openWithCode } from '#main/cli/agent-connection/link-code.ts';
import { exitCodes } from '#main/cli/exit-codes.ts';
import { ApiError } from '#protocol/errors.ts';

/** A link that opens with `right` alone, and a person who types the codes given, one after another. */
function scene(right: string, typed: readonly string[] | null, limited = false) {
  const told: string[] = [];
  const left = [...(typed ?? [])];
  let mails = 0;
  const open = (given?: string) =>
    openWithCode(
      {
        open: async (code) => {
          if (code === undefined) throw new ApiError('link_code_required', { recipient: 'm…@example.com' });
          if (code === 'over') throw new ApiError('link_code_over', { minutes: 10, guesses: 5 });
          if (code !== right) throw new ApiError('link_code_wrong');
          return 'opened';
        },
        mail: async () => {
          mails += 1;
          if (limited) throw new ApiError('rate_limited', { seconds: 40 });
          return { recipient: 'm…@example.com', valid_seconds: 600, pause_seconds: 60 };
        },
        ask: typed === null ? null : async () => left.shift() ?? '',
        tell: (line) => told.push(line),
      },
      given,
    );
  return { open, told, mails: () => mails };
}

describe('a link that asks for a code', () => {
  it('opens with the one that was given, and nothing is mailed', async () => {
    const { open, mails } = scene('1234 5678', null);
    expect(await open('1234 5678')).toBe('opened');
    expect(mails()).toBe(0);
  });

  it('has it mailed, asks for it, asks again after a wrong one, and mails another when it is over', async () => {
    const { open, told, mails } = scene('right', ['wrong', 'over', 'right']);
    expect(await open()).toBe('opened');
    expect(told).toEqual([
      'This link asks for a code. It was mailed to m…@example.com, and is good for 10 minutes.',
      'That code is wrong. Only the one that was mailed last is good.',
      'This link asks for a code. It was mailed to m…@example.com, and is good for 10 minutes.',
    ]);
    expect(mails()).toBe(2);
  });

  it('is told to scripts, after it was mailed; a wrong one as it is', async () => {
    const { open, mails } = scene('right', null);
    await expect(open()).rejects.toMatchObject({ code: exitCodes.credential, message: expect.stringContaining('--code CODE') });
    expect(mails()).toBe(1);
    await expect(open('wrong')).rejects.toMatchObject({ error: 'link_code_wrong' });
    expect(mails()).toBe(1);
  });

  it('is asked for also where one was mailed a moment ago, and nothing typed ends it', async () => {
    const { open, told } = scene('right', ['']);
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('Nothing was typed') });
    expect(told).toHaveLength(1);
    const soon = scene('right', ['right'], true);
    expect(await soon.open()).toBe('opened');
    expect(soon.told).toEqual(['This link asks for a code. One was mailed a moment ago.']);
  });
});
