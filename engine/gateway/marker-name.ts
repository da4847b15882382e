/** In the root of every mount; neither sent, nor listed, nor written over. */
export const markerName = '.longshore-mount';
