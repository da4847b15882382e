import { useState } from 'react';
import type { Link, LinkMail } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { hasPassed } from '#ui/has-passed.ts';
import { LinkIcon, PlusIcon, RetryIcon } from '#ui/icons.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useFaultText } from '../ui/fault-text.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { isSet } from '../ui/is-set.ts';
import { MenuButton } from '../ui/menu-button.tsx';
import { useToast } from '../ui/toasts.tsx';
import { QueryView, ViewState } from '../ui/view-states.tsx';
import { useLinkActions } from './link-actions.ts';
import { NewLinkDialog } from './new-link-dialog.tsx';
import { isOver, type PackageParts } from './queries.ts';

/** The links of a package: for whom, and what came of them. */
export function Links({ one, parts: { links, downloads } }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages } = useTexts({ en, de });
  const text = messages.links;
  const [adding, setAdding] = useState(false);
  const counts = new Map(downloads.data?.pages[0]?.by_link?.map((one) => [one.link_id, one.downloads]));
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>{text.title}</h2>
        {isOver(one) ? null : (
          <button type="button" className="button button-small" onClick={() => setAdding(true)}>
            <PlusIcon /> {text.add}
          </button>
        )}
      </div>
      <QueryView query={links}>
        {(list) =>
          list.length === 0 ? (
            isOver(one) ? (
              <p className="hint">{text.noneLeft}</p>
            ) : (
              <ViewState icon={<LinkIcon />} title={text.none} text={text.noneText} />
            )
          ) : (
            <ul className="package-list">
              {list.map((link) => (
                <LinkRow key={link.id} one={one} link={link} downloads={counts.get(link.id) ?? 0} />
              ))}
            </ul>
          )
        }
      </QueryView>
      {adding ? <NewLinkDialog one={one} onClose={() => setAdding(false)} /> : null}
    </section>
  );
}

type ProblemMail = LinkMail & { readonly problem: NonNullable<LinkMail['problem']> };

/** Why the mail of a link has not arrived, and what its recipient's server said. */
function MailProblem({ email, mail: { state, problem, detail } }: { readonly email: string; readonly mail: ProblemMail }) {
  const { messages } = useTexts({ en, de });
  const text = messages.links;
  return (
    <p className={state === 'failed' ? 'link-problem' : 'hint'} dir="auto">
      {text.problems[problem](email)}
      {detail === undefined ? null : <span className="hint link-said">{text.serverSaid(detail)}</span>}
    </p>
  );
}

function LinkRow({ one, link, downloads }: { readonly one: Package; readonly link: Link; readonly downloads: number }) {
  const { messages, number, moment } = useTexts({ en, de });
  const text = messages.links;
  const toast = useToast();
  const fault = useFaultText();
  const actions = useLinkActions(one);
  const [ending, setEnding] = useState(false);
  const who = link.email || text.anybody;
  const facts = [
    !link.active ? text.ended : hasPassed(link.expiry) ? text.timeOver : text.active,
    text.downloads(number(downloads), downloads === 1),
    link.access_limit > 0 ? text.limit(number(link.access_limit), link.access_limit === 1) : '',
    link.password === '' ? '' : text.password,
    link.verify_recipient ? text.asksCode : '',
    isSet(link.expiry) ? text.until(moment(link.expiry)) : '',
  ];
  const mail = (): void => {
    actions.mail(link).then(
      () => toast({ text: textIn({ en, de }, ({ messages }) => messages.links.mailed(link.email)) }),
      (error: unknown) => toast({ text: fault(error), tone: 'bad' }),
    );
  };
  return (
    <li className="link-row">
      <div className="link-words">
        <p className="link-who" dir="auto">
          {who}
        </p>
        <p className="hint">{facts.filter(Boolean).join(' · ')}</p>
        {link.active && link.mail?.problem ? <MailProblem email={link.email} mail={{ ...link.mail, problem: link.mail.problem }} /> : null}
        {link.active && link.mail?.state === 'failed' ? (
          <button type="button" className="button button-small link-again" onClick={mail}>
            <RetryIcon /> {text.mail}
          </button>
        ) : null}
      </div>
      {link.active ? (
        <div className="link-acts">
          <CopyButton text={link.url} label={text.copy(who)} />
          <MenuButton label={text.title}>
            <MenuItem label={text.open} onChoose={() => window.open(link.url, '_blank', 'noopener')} />
            {link.email === '' ? null : <MenuItem label={text.mail} onChoose={mail} />}
            <MenuItem label={text.end} onChoose={() => setEnding(true)} />
          </MenuButton>
        </div>
      ) : null}
      {ending ? (
        <ConfirmDialog
          title={text.endTitle}
          submit={text.end}
          onClose={() => setEnding(false)}
          onSubmit={async () => {
            await actions.end(link);
            toast({ text: textIn({ en, de }, ({ messages }) => messages.links.endDone) });
          }}
        >
          <p>{text.endText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}
