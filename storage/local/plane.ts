import { createDataPlane } from './data-plane.ts';
import { nodeDisk } from './disk.ts';
import { layoutOf } from './layout.ts';
import { type Listening, listenForData } from './listen.ts';
import { LocalUploads } from './uploads.ts';
import type { PlaneSettings } from './worker-messages.ts';

export interface PlaneSurroundings {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onTrouble: (error: Error) => void;
}

/** Puts a data plane together and listens, in whichever thread this is called. */
export function startPlane(settings: PlaneSettings, surroundings: PlaneSurroundings): Promise<Listening> {
  const layout = layoutOf(settings.root);
  const uploads = new LocalUploads(layout, nodeDisk);
  return listenForData(createDataPlane({ ...settings, ...surroundings, layout, uploads }), settings);
}
