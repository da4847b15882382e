import { ProgressBar } from '#ui/progress-bar.tsx';
import { useAddress } from './address.ts';
import { useBackgroundWork } from './background-work.ts';
import { useShellTexts } from './texts.ts';

/** Says above every other view that something goes on, and leads to it. */
export function WorkLine() {
  const { messages, number } = useShellTexts();
  const { path } = useAddress();
  const works = useBackgroundWork().filter(({ href }) => href !== path);
  return works.map(({ id, name, href, share }) => (
    <a key={id} className="work-line" href={href}>
      <span>
        {messages.work(name)} <span className="figure">{number(Math.floor(share * 100))} %</span>
      </span>
      <ProgressBar share={share} label={messages.work(name)} tone="moving" />
    </a>
  ));
}
