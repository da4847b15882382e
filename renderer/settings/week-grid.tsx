import { type PointerEvent, useState } from 'react';
import { weekdays } from '#protocol/agent/settings.ts';
import { useLocale } from '../messages/locale.ts';
import { draggedDay, type Schedule, spansOf, type Weekday } from './schedule.ts';

interface WeekGridProps {
  readonly schedule: Schedule;
  readonly onChange: (schedule: Schedule) => void;
  /** What the schedule limits; part of its accessible name. */
  readonly label: string;
  /** Says of a day that its times count; by default that they limit. */
  readonly dayLabel?: (day: string) => string;
}

interface Drag {
  readonly day: Weekday;
  readonly from: number;
  readonly to: number;
}

const hours = [0, 6, 12, 18, 24] as const;

/**
 * The week as seven days of 24 hours. Drag along a day to choose when the limit applies; or tick it and type the times.
 */
export function WeekGrid({ schedule, onChange, label, dayLabel }: WeekGridProps) {
  const { limits: messages } = useLocale().messages.settings;
  const [drag, setDrag] = useState<Drag | null>(null);
  const shown = drag ? { ...schedule, [drag.day]: draggedDay(drag.from, drag.to) } : schedule;
  const spans = spansOf(shown);
  const change = (day: Weekday, part: Partial<Schedule[Weekday]>) => onChange({ ...schedule, [day]: { ...schedule[day], ...part } });
  const shareAt = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return (event.clientX - left) / width;
  };
  return (
    <fieldset className="week">
      <legend className="visually-hidden">{messages.grid(label)}</legend>
      <div className="week-hours" aria-hidden="true">
        {hours.map((hour) => (
          <span key={hour} style={{ left: `${(hour / 24) * 100}%` }}>
            {hour}
          </span>
        ))}
      </div>
      {weekdays.map((day) => {
        const { enabled, start, end } = shown[day];
        const name = messages.days[day];
        return (
          <div key={day} className="week-day">
            <label className="check week-name">
              <input
                type="checkbox"
                checked={enabled}
                aria-label={(dayLabel ?? messages.on)(name)}
                onChange={(event) => change(day, { enabled: event.target.checked })}
              />
              <span aria-hidden="true">{name}</span>
            </label>
            {/* The time fields next to it do the same by keyboard. */}
            <div
              className="week-track"
              aria-hidden="true"
              onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                const at = shareAt(event);
                setDrag({ day, from: at, to: at });
              }}
              onPointerMove={(event) => drag && setDrag({ ...drag, to: shareAt(event) })}
              onPointerUp={() => {
                if (drag) onChange(shown);
                setDrag(null);
              }}
              onPointerCancel={() => setDrag(null)}
            >
              {spans[day].map(({ from, to, over }) => (
                <span
                  key={`${from} ${over}`}
                  className={over ? 'week-span over' : 'week-span'}
                  style={{ left: `${(from / 1440) * 100}%`, width: `${((to - from) / 1440) * 100}%` }}
                />
              ))}
            </div>
            <div className="week-times">
              <input
                type="time"
                className="input"
                value={start}
                disabled={!enabled}
                aria-label={messages.start(name)}
                onChange={(event) => event.target.value && change(day, { start: event.target.value })}
              />
              <span aria-hidden="true">–</span>
              <input
                type="time"
                className="input"
                value={end}
                disabled={!enabled}
                aria-label={messages.end(name)}
                onChange={(event) => event.target.value && change(day, { end: event.target.value })}
              />
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}
