import { useState } from 'react';
import type { RateLimit } from '#protocol/agent/settings.ts';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { NumberField } from './number-field.tsx';
import { type Direction, useChangeRateLimit, useRateLimit } from './queries.ts';
import { asMonday } from './schedule.ts';
import { WeekGrid } from './week-grid.tsx';

/** The speed limits for all transfers together, with their schedule. */
export function LimitSettings() {
  const { messages } = useFormat();
  return (
    <section className="card settings-part" aria-labelledby="limits-heading">
      <h2 id="limits-heading">{messages.settings.limits.title}</h2>
      <OneLimit direction="upload" />
      <OneLimit direction="download" />
    </section>
  );
}

function OneLimit({ direction }: { direction: Direction }) {
  const { messages } = useFormat();
  const fault = useFaultText();
  const { data, error } = useRateLimit(direction);
  const change = useChangeRateLimit(direction);
  const failure = change.error ?? error;
  return (
    <>
      {failure ? <Notice tone="bad">{fault(failure)}</Notice> : null}
      {data ? <LimitForm label={messages.settings.limits[direction]} limit={data} onChange={change.mutate} /> : null}
    </>
  );
}

interface LimitFormProps {
  readonly label: string;
  readonly limit: RateLimit;
  readonly onChange: (limit: RateLimit) => void;
}

const megabyte = 1_000_000;
/** The initial value of a limit that was never set, in bytes a second. */
const firstRate = 10 * megabyte;

function LimitForm({ label, limit, onChange }: LimitFormProps) {
  const { messages, number } = useFormat();
  const { limits: texts } = messages.settings;
  const [zone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { enabled, rate_limit_bps: rate, schedule_enabled: scheduled, schedule } = limit;
  return (
    <div className="limit">
      <label className="check">
        <input
          type="checkbox"
          checked={enabled}
          onChange={(event) => onChange({ ...limit, enabled: event.target.checked, rate_limit_bps: rate || firstRate })}
        />
        <span>{label}</span>
      </label>
      {enabled ? (
        <div className="limit-details">
          <NumberField
            label={`${texts.rate} (${texts.unit})`}
            value={rate / megabyte}
            min={0.01}
            max={1_000_000}
            decimals={2}
            hint={texts.rateHint(number(Math.round((rate * 8) / 10_000) / 100))}
            onSettle={(value) => onChange({ ...limit, rate_limit_bps: Math.round(value * megabyte) })}
          />
          <label className="check">
            <input
              type="checkbox"
              checked={scheduled}
              onChange={(event) => onChange({ ...limit, schedule_enabled: event.target.checked })}
            />
            <span>{texts.scheduled}</span>
          </label>
          {scheduled ? (
            <>
              <WeekGrid label={label} schedule={schedule} onChange={(next) => onChange({ ...limit, schedule: next })} />
              <div className="week-foot">
                <p className="hint">
                  {texts.gridHint} {texts.zone(zone)}
                </p>
                <button type="button" className="button button-small" onClick={() => onChange({ ...limit, schedule: asMonday(schedule) })}>
                  {texts.copy}
                </button>
              </div>
              {Object.values(schedule).some((day) => day.enabled) ? null : <Notice tone="plain">{texts.never}</Notice>}
            </>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}
