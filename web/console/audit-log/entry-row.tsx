import { useState } from 'react';
import type { AuditEntry } from '#protocol/hosted/audit.ts';
import { ChevronDownIcon, ChevronRightIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/audit-log.ts';
import { en } from '../../messages/en/console/audit-log.ts';
import { changeQuery } from '../app/address.ts';
import { useTexts } from '../app/texts.ts';
import { detailText } from './detail-text.ts';

/** One entry; opened, it shows the rest. */
export function EntryRow({ entry }: { readonly entry: AuditEntry }) {
  const { messages, moment, exactly } = useTexts({ en, de });
  const [open, setOpen] = useState(false);
  const { action, actor, target, at, details } = entry;
  const title = messages.actions[action as keyof typeof messages.actions] ?? action;
  const who = actor.name || messages.actors[actor.kind];
  // A link for whoever has it has no name: it is of its package.
  const about = target?.name || (typeof details['package'] === 'string' ? details['package'] : '');
  return (
    <article className="audit-entry">
      <button type="button" className="audit-entry-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <ChevronDownIcon /> : <ChevronRightIcon />}
        <span className="audit-entry-words">
          <span>
            <strong>{title}</strong>
            {about === '' ? null : <bdi className="audit-target"> {about}</bdi>}
          </span>
          <span className="hint">
            <bdi>{who}</bdi>
            {entry.address ? <> · {entry.address}</> : null}
          </span>
        </span>
        <time className="hint" dateTime={at} title={exactly(at)}>
          {moment(at)}
        </time>
      </button>
      {open ? <EntryDetails entry={entry} who={who} /> : null}
    </article>
  );
}

function EntryDetails({ entry, who }: { readonly entry: AuditEntry; readonly who: string }) {
  const { messages, exactly } = useTexts({ en, de });
  const { actor, target, details, position, hash } = entry;
  const lines: [string, string][] = [
    [messages.time, exactly(entry.at)],
    [messages.actor, actor.kind === 'user' ? who : `${who} (${messages.actors[actor.kind]})`],
    [messages.device, entry.user_agent],
    ...Object.entries(details).map(([name, value]): [string, string] => [
      messages.fields[name as keyof typeof messages.fields] ?? name,
      detailText(value, { changed: messages.changed, yes: messages.yes, no: messages.no, moment: exactly }),
    ]),
    [messages.place, position === undefined ? messages.notChained : `${position} · ${hash}`],
  ];
  return (
    <div className="audit-details">
      <dl>
        {lines
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
      </dl>
      <p className="audit-acts">
        {actor.id === undefined ? null : (
          <button type="button" className="button button-small" onClick={() => changeQuery({ actor_id: actor.id! })}>
            {messages.allOfPerson}
          </button>
        )}
        {target === undefined ? null : (
          <button type="button" className="button button-small" onClick={() => changeQuery({ target_id: target.id })}>
            {messages.allOfThing}
          </button>
        )}
      </p>
    </div>
  );
}
