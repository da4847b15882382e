import { useEffect, useSyncExternalStore } from 'react';
import { CheckIcon, PauseIcon, PlayIcon } from '#ui/icons.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { useScreenAwake } from '#ui/screen-awake.ts';
import { WindowedList } from '../../common/windowed-list.tsx';
import { type Format, useFormat } from '../../messages/download.ts';
import { usePageEnvironment } from '../environment.ts';
import type { OpenedLink } from '../opened-link.ts';
import type { FailedFile, SavePhase, SaveProgress } from './messages.ts';
import { SaveOffer } from './save-offer.tsx';
import type { Saving, SavingPorts } from './saving.ts';
import { type SaveProblem, useSaving } from './use-saving.ts';

interface SavePartProps {
  readonly opened: OpenedLink;
  /** Ids of files and empty folders; empty for all. */
  readonly chosen: ReadonlySet<string>;
}

/** Saves the whole tree, or what is chosen of it, into a folder; renders nothing where the browser cannot do it. */
export function SavePart({ opened, chosen }: SavePartProps) {
  const { saving } = usePageEnvironment();
  return saving && opened.records.some(({ kind }) => kind === 'file') ? <Saver opened={opened} chosen={chosen} ports={saving} /> : null;
}

function Saver({ opened, chosen, ports }: SavePartProps & { readonly ports: SavingPorts }) {
  const { messages, files, number, size } = useFormat();
  const { state, choose, goOn, forget, refused } = useSaving(opened, ports);
  switch (state?.kind) {
    case undefined:
      return <SaveOffer ofChoice={chosen.size > 0} onChoose={null} />;
    case 'elsewhere':
      return <p className="notice">{messages.save.elsewhere}</p>;
    case 'idle':
      return (
        <SaveOffer ofChoice={chosen.size > 0} onChoose={() => choose(chosen)}>
          <Problem problem={state.problem} />
        </SaveOffer>
      );
    case 'unfinished':
      return (
        <section className="save" aria-labelledby="save-title">
          <h2 id="save-title">{messages.save.unfinished.title}</h2>
          <p>{messages.save.unfinished.what(number(state.filesDone), files(state.saved.files), size(state.saved.bytes))}</p>
          <Problem problem={state.problem} />
          <div className="save-buttons">
            <button type="button" className="button button-primary" onClick={() => goOn(state.saved)}>
              <PlayIcon /> {messages.save.goOn}
            </button>
            <button type="button" className="button" onClick={forget}>
              {messages.save.forget}
            </button>
          </div>
        </section>
      );
    case 'saving':
      return <SavePanel saving={state.saving} problem={state.problem} onRefused={refused} onForget={forget} />;
  }
}

function Problem({ problem }: { readonly problem: SaveProblem | null }) {
  const { messages } = useFormat();
  if (!problem) return null;
  return (
    <p className="notice notice-bad" role="alert">
      {problem.kind === 'refused' ? messages.save.refused : messages.save.cannotStart(problem.reason)}
    </p>
  );
}

interface SavePanelProps {
  readonly saving: Saving;
  readonly problem: SaveProblem | null;
  readonly onRefused: () => void;
  readonly onForget: () => void;
}

function SavePanel({ saving, problem, onRefused, onForget }: SavePanelProps) {
  const format = useFormat();
  const { messages } = format;
  const progress = useSyncExternalStore(saving.subscribe, saving.progress);
  const { phase, failed } = progress;
  useStay(phase);
  useScreenAwake(phase.kind === 'saving');
  const goOn = async (): Promise<void> => {
    if (!(await saving.goOn())) onRefused();
  };
  const over = phase.kind === 'done';
  return (
    <section className="save" aria-labelledby="save-title">
      <header className="save-head">
        {over && failed.length === 0 ? (
          <span className="save-mark">
            <CheckIcon />
          </span>
        ) : null}
        <h2 id="save-title">{titleOf(progress, saving.folder, format)}</h2>
        {phase.kind === 'saving' || phase.kind === 'offline' ? (
          <button type="button" className="button button-small" onClick={saving.pause}>
            <PauseIcon /> {messages.save.pause}
          </button>
        ) : null}
        {phase.kind === 'paused' || phase.kind === 'halted' ? (
          <span className="save-buttons">
            <button type="button" className="button button-primary button-small" onClick={goOn}>
              <PlayIcon /> {messages.save.goOn}
            </button>
            <button type="button" className="button button-small" onClick={onForget}>
              {messages.save.forget}
            </button>
          </span>
        ) : null}
        {over ? (
          <button type="button" className="button button-small" onClick={onForget}>
            {messages.save.close}
          </button>
        ) : null}
      </header>
      {over ? null : <Bar progress={progress} folder={saving.folder} format={format} />}
      <SaveStatus progress={progress} format={format} />
      <Problem problem={problem} />
      {failed.length > 0 ? <Failed failed={failed} onRetry={over && failed.some(({ fault }) => fault !== 'virus') ? goOn : null} /> : null}
    </section>
  );
}

function titleOf({ phase, failed }: SaveProgress, folder: string, { messages }: Format): string {
  if (phase.kind === 'done') return failed.length === 0 ? messages.save.done(folder) : messages.save.doneWithout(folder);
  return phase.kind === 'paused' || phase.kind === 'halted' ? messages.save.paused(folder) : messages.save.saving(folder);
}

interface PartProps {
  readonly progress: SaveProgress;
  readonly format: Format;
}

function Bar({ progress, folder, format }: PartProps & { readonly folder: string }) {
  const { messages, size, files, number, duration } = format;
  const { phase, bytes, totalBytes, totalFiles, bytesPerSecond, secondsLeft } = progress;
  const share = totalBytes > 0 ? bytes / totalBytes : totalFiles > 0 ? progress.files / totalFiles : 1;
  const facts = [
    messages.save.progress(size(bytes), size(totalBytes)),
    messages.save.filesDone(number(progress.files), files(totalFiles)),
    phase.kind === 'saving' && bytesPerSecond > 0 ? messages.save.speed(size(bytesPerSecond)) : '',
    phase.kind === 'saving' && secondsLeft !== null ? messages.save.left(duration(secondsLeft)) : '',
  ].filter(Boolean);
  return (
    <>
      <ProgressBar
        share={share}
        label={messages.save.saving(folder)}
        text={facts[0]}
        tone={phase.kind === 'saving' ? 'moving' : 'waiting'}
        large
      />
      <p className="save-facts figure">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
    </>
  );
}

/** The status text; changes are read out. */
function SaveStatus({ progress, format }: PartProps) {
  const { messages, files } = format;
  const { phase, unchecked, renamed, persistent } = progress;
  return (
    <div role="status" className="save-said">
      {phase.kind === 'offline' ? <p className="notice notice-warn">{messages.save.offline}</p> : null}
      {phase.kind === 'halted' ? <p className="notice notice-bad">{messages.save.halted[phase.why]}</p> : null}
      {phase.kind === 'done' ? <p>{unchecked === 0 ? messages.save.checked : messages.save.checkedBut(files(unchecked))}</p> : null}
      {phase.kind === 'done' && renamed > 0 ? <p>{messages.save.renamed(files(renamed))}</p> : null}
      {phase.kind === 'saving' ? <p className="hint">{persistent ? messages.save.stayOpen : messages.save.notKept}</p> : null}
    </div>
  );
}

function Failed({ failed, onRetry }: { readonly failed: readonly FailedFile[]; readonly onRetry: (() => void) | null }) {
  const { messages, files, said: inLanguage } = useFormat();
  return (
    <>
      <p className="notice notice-bad">
        <span className="note-text">{messages.save.stuck(files(failed.length))}</span>
        {onRetry ? (
          <button type="button" className="button button-small" onClick={onRetry}>
            {messages.save.retryAll}
          </button>
        ) : null}
      </p>
      <WindowedList
        label={messages.save.stuck(files(failed.length))}
        count={failed.length}
        rowHeight={3.5}
        rowKey={(index) => failed[index]!.path}
        row={(index) => {
          const { path, fault, message } = failed[index]!;
          const said = fault === 'other' ? messages.save.faults.other(inLanguage(message)) : messages.save.faults[fault];
          return (
            <div className="save-failed" title={`${path}: ${said}`}>
              <p>
                <bdi>{path}</bdi>
              </p>
              <p className="field-error">{said}</p>
            </div>
          );
        }}
      />
    </>
  );
}

/** Warns before the tab is closed during a transfer. */
function useStay({ kind }: SavePhase): void {
  const moving = kind === 'saving' || kind === 'offline';
  useEffect(() => {
    if (!moving) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [moving]);
}
