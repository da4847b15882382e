import { useEffect, useSyncExternalStore } from 'react';
import { CheckIcon, FolderIcon, PauseIcon, PlayIcon } from '#ui/icons.tsx';
import { WindowedList } from '../../common/windowed-list.tsx';
import { type Speaking, useSpeaking } from '../../words/download.ts';
import type { OpenedLink } from '../opened-link.ts';
import { usePlace } from '../place.ts';
import type { FailedFile, SavePhase, SaveProgress } from './messages.ts';
import type { Saving, SavingPorts } from './saving.ts';
import { type SaveProblem, useSaving } from './use-saving.ts';

/** Saves the whole tree into a folder; renders nothing where the browser cannot do it. */
export function SavePart({ opened }: { readonly opened: OpenedLink }) {
  const { saving } = usePlace();
  return saving && opened.records.some(({ kind }) => kind === 'file') ? <Saver opened={opened} ports={saving} /> : null;
}

function Saver({ opened, ports }: { readonly opened: OpenedLink; readonly ports: SavingPorts }) {
  const { words, files, number, size } = useSpeaking();
  const { state, choose, goOn, forget, refused } = useSaving(opened, ports);
  switch (state?.kind) {
    case undefined:
      return null;
    case 'elsewhere':
      return <p className="notice">{words.save.elsewhere}</p>;
    case 'idle':
      return (
        <div className="save-offer">
          <button type="button" className="button" aria-describedby="save-hint" onClick={choose}>
            <FolderIcon /> {words.save.choose}
          </button>
          <p className="hint" id="save-hint">
            {words.save.hint}
          </p>
          <Problem problem={state.problem} />
        </div>
      );
    case 'unfinished':
      return (
        <section className="save" aria-labelledby="save-title">
          <h2 id="save-title">{words.save.unfinished.title}</h2>
          <p>{words.save.unfinished.what(number(state.filesDone), files(state.noted.files), size(state.noted.bytes))}</p>
          <Problem problem={state.problem} />
          <div className="save-buttons">
            <button type="button" className="button button-primary" onClick={() => goOn(state.noted)}>
              <PlayIcon /> {words.save.goOn}
            </button>
            <button type="button" className="button" onClick={forget}>
              {words.save.forget}
            </button>
          </div>
        </section>
      );
    case 'saving':
      return <SavePanel saving={state.saving} problem={state.problem} onRefused={refused} onForget={forget} />;
  }
}

function Problem({ problem }: { readonly problem: SaveProblem | null }) {
  const { words } = useSpeaking();
  if (!problem) return null;
  return (
    <p className="notice notice-bad" role="alert">
      {problem.kind === 'refused' ? words.save.refused : words.save.cannotStart(problem.reason)}
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
  const speaking = useSpeaking();
  const { words } = speaking;
  const progress = useSyncExternalStore(saving.subscribe, saving.progress);
  const { phase, failed } = progress;
  useStay(phase);
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
        <h2 id="save-title">{titleOf(progress, saving.folder, speaking)}</h2>
        {phase.kind === 'saving' || phase.kind === 'offline' ? (
          <button type="button" className="button button-small" onClick={saving.pause}>
            <PauseIcon /> {words.save.pause}
          </button>
        ) : null}
        {phase.kind === 'paused' || phase.kind === 'halted' ? (
          <span className="save-buttons">
            <button type="button" className="button button-primary button-small" onClick={goOn}>
              <PlayIcon /> {words.save.goOn}
            </button>
            <button type="button" className="button button-small" onClick={onForget}>
              {words.save.forget}
            </button>
          </span>
        ) : null}
        {over ? (
          <button type="button" className="button button-small" onClick={onForget}>
            {words.save.close}
          </button>
        ) : null}
      </header>
      {over ? null : <Bar progress={progress} folder={saving.folder} speaking={speaking} />}
      <Said progress={progress} speaking={speaking} />
      <Problem problem={problem} />
      {failed.length > 0 ? <Failed failed={failed} onRetry={over && failed.some(({ fault }) => fault !== 'virus') ? goOn : null} /> : null}
    </section>
  );
}

function titleOf({ phase, failed }: SaveProgress, folder: string, { words }: Speaking): string {
  if (phase.kind === 'done') return failed.length === 0 ? words.save.done(folder) : words.save.doneWithout(folder);
  return phase.kind === 'paused' || phase.kind === 'halted' ? words.save.paused(folder) : words.save.saving(folder);
}

interface PartProps {
  readonly progress: SaveProgress;
  readonly speaking: Speaking;
}

function Bar({ progress, folder, speaking }: PartProps & { readonly folder: string }) {
  const { words, size, files, number, time } = speaking;
  const { phase, bytes, totalBytes, totalFiles, bytesPerSecond, secondsLeft } = progress;
  const share = totalBytes > 0 ? bytes / totalBytes : totalFiles > 0 ? progress.files / totalFiles : 1;
  const facts = [
    words.save.progress(size(bytes), size(totalBytes)),
    words.save.filesDone(number(progress.files), files(totalFiles)),
    phase.kind === 'saving' && bytesPerSecond > 0 ? words.save.speed(size(bytesPerSecond)) : '',
    phase.kind === 'saving' && secondsLeft !== null ? words.save.left(time(secondsLeft)) : '',
  ].filter(Boolean);
  return (
    <>
      <div
        className={phase.kind === 'saving' ? 'bar' : 'bar bar-paused'}
        role="progressbar"
        aria-label={words.save.saving(folder)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
        aria-valuetext={facts[0]}
      >
        <div style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <p className="save-facts figure">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
    </>
  );
}

/** The status text; changes are read out. */
function Said({ progress, speaking }: PartProps) {
  const { words, files } = speaking;
  const { phase, unchecked, renamed, kept } = progress;
  return (
    <div role="status" className="save-said">
      {phase.kind === 'offline' ? <p className="notice notice-warn">{words.save.offline}</p> : null}
      {phase.kind === 'halted' ? <p className="notice notice-bad">{words.save.halted[phase.why]}</p> : null}
      {phase.kind === 'done' ? <p>{unchecked === 0 ? words.save.checked : words.save.checkedBut(files(unchecked))}</p> : null}
      {phase.kind === 'done' && renamed > 0 ? <p>{words.save.renamed(files(renamed))}</p> : null}
      {phase.kind === 'saving' ? <p className="hint">{kept ? words.save.stayOpen : words.save.notKept}</p> : null}
    </div>
  );
}

function Failed({ failed, onRetry }: { readonly failed: readonly FailedFile[]; readonly onRetry: (() => void) | null }) {
  const { words, files } = useSpeaking();
  return (
    <>
      <p className="notice notice-bad">
        <span className="note-text">{words.save.stuck(files(failed.length))}</span>
        {onRetry ? (
          <button type="button" className="button button-small" onClick={onRetry}>
            {words.save.retryAll}
          </button>
        ) : null}
      </p>
      <WindowedList
        label={words.save.stuck(files(failed.length))}
        count={failed.length}
        rowHeight={3.5}
        rowKey={(index) => failed[index]!.path}
        row={(index) => {
          const { path, fault, message } = failed[index]!;
          const said = fault === 'other' ? words.save.faults.other(message) : words.save.faults[fault];
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
