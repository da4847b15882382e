import { describe, expect, it } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import { type HostedErrorName, hostedErrors } from '#protocol/errors/hosted.ts';
import { german } from '#protocol/german/index.ts';
import { createPageFormat } from '#web/common/format.ts';
import { createServiceSentences } from '#web/common/service-sentences.ts';
import { effectOf } from '#web/download/save/faults.ts';
import { reasonOf, viewOfFailure as viewOfLink } from '#web/download/view.ts';
import { localeFor as ofDownload } from '#web/messages/download.ts';
import { localeFor as ofPortal } from '#web/messages/portal.ts';
import { viewOfFailure as viewOfPortal } from '#web/portal/page/view.ts';
import { faultText } from '#web/sending/view/faults.ts';

/** What no page of a visitor is answered: calls that they do not make, and answers of a storage. */
const ofOthers = new Set<HostedErrorName>([
  'unsupported_media_type',
  'no_such_endpoint',
  'idempotency_mismatch',
  'wrong_password',
  'key_suspended',
  'mfa_required',
  'mfa_wrong',
  'signature_invalid',
  'blueprint_expired',
  'no_such_upload',
  'range_not_satisfiable',
]);

/** The refusal with what its service may fill in. */
const refusal = (error: HostedErrorName, sample: string): ServiceError => {
  const { message, status } = hostedErrors[error];
  const said = message.replaceAll('{detail}', 'This package has expired').replaceAll(/\{\w+\}/g, sample);
  return new ServiceError(error, {}, { answered: status, message: said });
};

/** What a page shows of the service's own words, without those that are German. */
function leftEnglish(show: (said: (text: string) => string) => unknown): string[] {
  const left: string[] = [];
  show((text) => {
    const translated = german(text);
    if (translated === null) left.push(text);
    return translated ?? text;
  });
  return left;
}

const pages: Readonly<Record<string, (error: ServiceError, said: (text: string) => string) => unknown>> = {
  'a Portal that opens': (error, said) => {
    const format = createPageFormat(ofPortal(['de']), said);
    const view = viewOfPortal(error, '', format);
    return view.state === 'closed' && view.text === '' ? faultText(view.error, format) : '';
  },
  'a Portal that sends': (error, said) => faultText(error, createPageFormat(ofPortal(['de']), said)),
  'a link that opens': (error, said) => viewOfLink(error, '', createPageFormat(ofDownload(['de']), said)),
  'a download': (error, said) => reasonOf(error, createPageFormat(ofDownload(['de']), said)),
  'a file that is saved': (error, said) => {
    const effect = effectOf(error);
    return effect.kind === 'file' && effect.fault === 'other' ? said(effect.message) : '';
  },
};

describe.each(Object.entries(pages))('%s', (_, show) => {
  it.each((Object.keys(hostedErrors) as HostedErrorName[]).filter((error) => !ofOthers.has(error)))('says %s in German', (error) => {
    const left = ['3', 'X1', 'account'].map((sample) => leftEnglish((said) => show(refusal(error, sample), said)));
    expect(left).toContainEqual([]);
  });
});

describe('what the service says', () => {
  it('is as it was said until its German is loaded, is German from then on, and is asked for again where that fails', async () => {
    let fails = true;
    let loads = 0;
    const sentences = createServiceSentences(async () => {
      loads++;
      if (fails) throw new Error('offline');
      return german;
    });
    let told = 0;
    sentences.subscribe(() => told++);
    const said = () => sentences.said()('This package has expired.');
    expect([said(), loads]).toEqual(['This package has expired.', 1]);
    await Promise.resolve();
    expect(told).toBe(0);
    fails = false;
    expect(said()).toBe('This package has expired.');
    await Promise.resolve();
    await Promise.resolve();
    expect([told, loads, said()]).toEqual([1, 2, 'Dieses Paket ist abgelaufen.']);
    expect(sentences.said()('The moon is full.')).toBe('The moon is full.');
  });

  it('stays English on an English page', () => {
    const { said } = createPageFormat(ofPortal(['en']), (text) => `${text} It was translated.`);
    expect(said('This package has expired.')).toBe('This package has expired.');
  });
});
