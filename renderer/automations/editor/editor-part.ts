import type { Draft } from './draft.ts';

/** Properties of every part of the editor. */
export interface EditorPartProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  /** What is wrong with a field, in words. */
  readonly errorOf: (field: keyof Draft) => string | null;
}
