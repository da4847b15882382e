/** What an uploaded SVG may hold (SVG 2): shapes, texts, and what they are painted and cut with. */
export const keptElements: ReadonlySet<string> = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'style'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'tspan'],
  ...['linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask'],
]);

/** What shows nothing, and is left out. */
export const droppedElements: ReadonlySet<string> = new Set(['title', 'desc', 'metadata']);

export const keptAttributes: ReadonlySet<string> = new Set([
  ...['id', 'class', 'style', 'transform', 'viewBox', 'preserveAspectRatio', 'width', 'height'],
  ...['x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'fx', 'fy', 'fr', 'd', 'points', 'dx', 'dy', 'rotate'],
  ...['gradientUnits', 'gradientTransform', 'spreadMethod', 'offset', 'clipPathUnits', 'maskUnits', 'maskContentUnits', 'pathLength'],
  ...['fill', 'fill-opacity', 'fill-rule', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-linecap', 'stroke-linejoin'],
  ...['stroke-miterlimit', 'stroke-dasharray', 'stroke-dashoffset', 'opacity', 'color', 'display', 'visibility', 'overflow'],
  ...['clip-path', 'clip-rule', 'mask', 'mask-type', 'stop-color', 'stop-opacity', 'vector-effect', 'paint-order', 'shape-rendering'],
  ...['font-family', 'font-size', 'font-style', 'font-weight', 'font-stretch', 'letter-spacing', 'word-spacing', 'text-anchor'],
  ...['dominant-baseline', 'text-decoration', 'textLength', 'lengthAdjust', 'text-rendering', 'mix-blend-mode', 'isolation'],
]);
