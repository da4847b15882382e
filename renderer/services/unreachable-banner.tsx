import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import type { UnreachableService } from '#protocol/agent/system.ts';
import { WarnIcon } from '#ui/icons.tsx';
import { useApp } from '../app/context.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { Localized } from '../messages/localized.tsx';
import { asSentence, phraseText } from '../messages/localized-text.ts';
import { serviceName } from '../session/service-address.ts';

/** Up to this number of reasons are shown in a line each; with more services, only their names are shown. */
const mostReasons = 3;

/**
 * One banner for all unreachable services: their names, what waits for them, the time of the next retry, and a button
 * to retry now.
 */
export function UnreachableBanner({ services }: { readonly services: readonly UnreachableService[] }) {
  const { client } = useApp();
  const { messages, tag, number, moment } = useFormat();
  const { unreachable } = messages.app;
  const fault = useFaultText();
  const title = useId();
  const tryNow = useMutation({ mutationFn: () => client.call('tryTransfersNow', {}) });
  const names = new Intl.ListFormat(tag, { type: 'conjunction' }).format(services.map(({ service_url: url }) => serviceName(url)));
  const waiting = services.reduce((sum, { transfers = 0 }) => sum + transfers, 0);
  const since = services.map((one) => one.since).sort()[0]!;
  return (
    <section className="banner banner-services" aria-labelledby={title}>
      <WarnIcon />
      <div className="banner-text">
        <p role="alert">
          <strong id={title}>{unreachable.title(names, services.length === 1)}</strong>{' '}
          {waiting > 0 ? unreachable.waits(number(waiting), waiting === 1) : unreachable.nothingWaits}
        </p>
        <p className="banner-why">
          {unreachable.since(moment(since))}{' '}
          {services.length > mostReasons
            ? null
            : [...new Set(services.map(({ reason }) => reason))].map((reason) => (
                <span key={reason}>
                  <Localized text={asSentence(phraseText(reason, messages))} />{' '}
                </span>
              ))}
        </p>
        {tryNow.error ? <p role="alert">{fault(tryNow.error)}</p> : null}
      </div>
      <div className="banner-act">
        <NextTry at={services.map((one) => one.next_try_at).sort()[0]!} />
        <button type="button" className="button button-small" disabled={tryNow.isPending} onClick={() => tryNow.mutate()}>
          {messages.app.tryNow}
        </button>
      </div>
    </section>
  );
}

/** A countdown. It is hidden from screen readers, which would announce it each second. */
function NextTry({ at }: { readonly at: string }) {
  const { messages, number } = useFormat();
  const { unreachable } = messages.app;
  const seconds = useSecondsTo(at);
  return <span className="figure">{seconds > 0 ? unreachable.next(number(seconds)) : unreachable.now}</span>;
}

/** Whole seconds until a time, 0 once it is over. */
function useSecondsTo(at: string): number {
  const left = (): number => Math.max(0, Math.ceil((Date.parse(at) - Date.now()) / 1_000));
  const [, tick] = useState(0);
  const seconds = left();
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}
