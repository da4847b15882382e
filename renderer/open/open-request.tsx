import { type DeepLink, type DeepLinkFault, parseDeepLink } from '#protocol/deep-link.ts';
import { Notice } from '#ui/notice.tsx';
import { goTo } from '../app/route.ts';
import { type Tasks, useTasks } from '../app/tasks.ts';
import { Dialog } from '../ui/dialog.tsx';
import { isKnownService, serviceName, useKnownServices } from './known-service.ts';
import { type OpenTexts, useOpenTexts } from './texts.ts';

/**
 * A deep link from an untrusted source: shows its content and its effect, and asks the person. Before they agree,
 * nothing is requested from the named service. Afterwards it only fills in a form that they submit themselves.
 */
export function OpenRequest({ address }: { address: string }) {
  const parsed = parseDeepLink(address);
  return 'link' in parsed ? <Request address={address} link={parsed.link} /> : <Refused fault={parsed} />;
}

/** The address is used, and going back must not ask again. */
const leave = (): void => goTo({ name: 'transfers' }, true);

const textsOf = { download: 'download', portal_upload: 'upload', continue: 'handover' } as const;

function Request({ address, link }: { address: string; link: DeepLink }) {
  const open = useOpenTexts();
  const tasks = useTasks();
  const services = useKnownServices();
  const about = open[textsOf[link.kind]];
  const host = serviceName(link.service);
  const looking = services === null;
  const known = services !== null && isKnownService(link.service, services);
  return (
    <Dialog title={about.title} onClose={leave}>
      <div className="open-request">
        <p>{about.lead}</p>
        <dl className="facts open-facts">
          {factsOf(link, open).map(([label, text]) => (
            <div key={label} className="open-fact">
              <dt>{label}</dt>
              {/* Untrusted texts: shown in their own text direction and in full. */}
              <dd dir="auto">{text}</dd>
            </div>
          ))}
        </dl>
        {looking ? <p className="hint">{open.looking}</p> : null}
        {looking || known ? null : <Notice tone="warn">{open.unknown(host)}</Notice>}
        <p>{about.next(host)}</p>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={leave}>
            {open.refuse}
          </button>
          <button
            type="button"
            className="button button-primary"
            disabled={looking}
            onClick={() => {
              leave();
              begin(address, link, tasks);
            }}
          >
            {open.goOn}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function begin(address: string, link: DeepLink, tasks: Tasks): void {
  if (link.kind === 'continue') {
    tasks.continueHandover(address);
    return;
  }
  if (link.kind === 'download') {
    tasks.get({ url: link.url });
    return;
  }
  const { service, portal, name, description, sender } = link;
  tasks.send({ portal: { service, subdomain: portal }, name, description, sender });
}

/** The address's content for display; a download link without its secret, and a code not at all. */
function factsOf(link: DeepLink, open: OpenTexts): [string, string][] {
  if (link.kind === 'continue') return [[open.service, serviceName(link.service)]];
  const facts: [string, string][] =
    link.kind === 'download'
      ? [
          [open.service, serviceName(link.service)],
          [open.link, new URL(link.url).pathname],
        ]
      : [
          [open.service, serviceName(link.service)],
          [open.portal, link.portal],
          [open.name, link.name],
          [open.sender, link.sender],
          [open.description, link.description],
        ];
  return facts.filter(([, text]) => text !== '');
}

function Refused({ fault }: { fault: DeepLinkFault }) {
  const { bad } = useOpenTexts();
  const why = 'name' in fault ? bad[fault.fault](fault.name) : bad[fault.fault];
  return (
    <Dialog title={bad.title} onClose={leave} small>
      <div className="open-request">
        <Notice tone="bad">{why}</Notice>
        <p>{bad.lead}</p>
        <div className="dialog-actions">
          <button type="button" className="button button-primary" onClick={leave}>
            {bad.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
