import type { Dispatcher } from 'undici';
import type { StallTimeouts } from '#client/stall-timeouts.ts';

/** undici's errors when an answer does not begin, or stops. */
const silences = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'STALLED']);

/** Gives each undici request a timeout that suits its server, and records stalls. */
export function stallInterceptor(stallTimeouts: StallTimeouts): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { method, origin, path, body } = options;
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0;
    const wait = stallTimeouts.waitFor({ method, url: new URL(path, String(origin)), bytes });
    let began = 0;
    const timed = { ...options, headersTimeout: wait.inAll, bodyTimeout: wait.betweenPieces };
    return dispatch(timed, {
      onRequestStart(controller, context) {
        began = performance.now();
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
      onResponseStart(...given) {
        if (given[1] >= 200) wait.answered(performance.now() - began);
        handler.onResponseStart?.(...given);
      },
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError(controller, error) {
        if (silences.has(String((error as { code?: unknown }).code))) wait.stalled();
        handler.onResponseError?.(controller, error);
      },
    });
  };
}
