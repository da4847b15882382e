/**
 * What a page can try against an agent on the same machine (test/e2e/attacker.test.ts loads this into a real browser).
 * Each attempt gives what the page learned, and rejects where it learned nothing.
 */
const attempts = {
  'reads by fetch': (base) => fetch(`${base}/api/v1/transfers`).then((reply) => reply.text()),
  'reads without asking': (base) => fetch(`${base}/api/v1/status`, { mode: 'no-cors' }).then((reply) => reply.text()),
  'reads the metrics': (base) => fetch(`${base}/metrics`).then((reply) => reply.text()),
  'posts JSON': (base) =>
    fetch(`${base}/api/v1/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"evil","scopes":["all"]}',
    }).then((reply) => reply.text()),
  'posts JSON as text': (base) =>
    fetch(`${base}/api/v1/tokens`, { method: 'POST', mode: 'no-cors', body: '{"name":"evil","scopes":["all"]}' }).then((reply) =>
      reply.text(),
    ),
  'changes settings': (base) =>
    fetch(`${base}/api/v1/settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"allowed_roots":["/"],"order":"strict"}',
    }).then((reply) => reply.text()),
  'pauses all': (base) => fetch(`${base}/api/v1/transfers/pause`, { method: 'PUT' }).then((reply) => reply.text()),
  'takes the bundle': (base) => fetch(`${base}/api/v1/support_bundle`, { method: 'POST' }).then((reply) => reply.text()),
  'shows a token': (base) => fetch(`${base}/api/v1/status`, { headers: { authorization: 'Bearer x' } }).then((reply) => reply.text()),
  'sends a beacon': (base) =>
    new Promise((_, reject) => {
      navigator.sendBeacon(`${base}/api/v1/tokens`, new Blob(['{"name":"evil","scopes":["all"]}'], { type: 'text/plain' }));
      setTimeout(reject, 300);
    }),
  'listens by EventSource': (base) =>
    new Promise((resolve, reject) => {
      const source = new EventSource(`${base}/api/v1/events`);
      source.onopen = () => resolve('open');
      source.onerror = () => {
        source.close();
        reject();
      };
    }),
  'opens a WebSocket': (base) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/events`);
      socket.onopen = () => resolve('open');
      socket.onerror = reject;
    }),
  'loads an image': (base) => load('img', 'src', `${base}/api/v1/status`),
  'loads a script': (base) => load('script', 'src', `${base}/api/v1/transfers`),
  'loads a style': (base) => load('link', 'href', `${base}/docs.css`),
  'loads a module': (base) => import(`${base}/api/v1/settings`),
  'frames the page': (base) => framed('iframe', `${base}/docs`),
  'posts a form': (base) =>
    new Promise((_, reject) => {
      const frame = document.createElement('iframe');
      frame.name = `frame${Math.random()}`;
      const form = Object.assign(document.createElement('form'), {
        method: 'post',
        enctype: 'text/plain',
        action: `${base}/api/v1/tokens`,
        target: frame.name,
      });
      // As text/plain this is name=value: a body of JSON but for the sign in the middle, which a string hides.
      const field = Object.assign(document.createElement('input'), { name: '{"scopes":["all"],"name":"', value: '"}' });
      form.append(field);
      document.body.append(frame, form);
      frame.onload = () => setTimeout(reject, 100);
      form.submit();
    }),
  'fetches from a sandboxed frame': (base) =>
    new Promise((resolve, reject) => {
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-scripts');
      frame.srcdoc = `<script>fetch('${base}/api/v1/status').then(r => r.text()).then(t => parent.postMessage(t, '*'), () => parent.postMessage('', '*'))</script>`;
      window.onmessage = ({ data }) => (data ? resolve(data) : reject());
      document.body.append(frame);
    }),
  'fetches from a worker': (base) =>
    new Promise((resolve, reject) => {
      const code = `fetch('${base}/api/v1/status').then(r => r.text()).then(t => postMessage(t), () => postMessage(''))`;
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      worker.onmessage = ({ data }) => (data ? resolve(data) : reject());
    }),
  'leads to the API': (base) =>
    new Promise((resolve, reject) => {
      const opened = window.open(`${base}/api/v1/status`);
      setTimeout(() => {
        try {
          resolve(opened?.document.body.textContent || Promise.reject());
        } catch {
          reject();
        } finally {
          opened?.close();
        }
      }, 500);
    }),
};

/** Runs every attempt against every base; gives the names of those that learned something, with what. */
window.attack = async (bases) => {
  const learned = [];
  for (const base of bases)
    for (const [name, attempt] of Object.entries(attempts)) {
      const outcome = await Promise.race([
        attempt(base).then(
          (answer) => `learned ${String(answer).slice(0, 80)}`,
          () => null,
        ),
        new Promise((resolve) => setTimeout(resolve, 15_000, 'hung')),
      ]);
      // Of an opaque answer a page sees nothing, whatever stands in it.
      if (outcome === 'learned ') continue;
      // A page whose name was bound to this machine reads what it is answered: that it is refused.
      if (outcome !== null && !outcome.startsWith('learned {"code":65543')) learned.push(`${name} at ${base}: ${outcome}`);
    }
  return learned;
};
window.attempts = Object.keys(attempts).length;

/** Loads something by an element. */
function load(tag, attribute, url) {
  return new Promise((resolve, reject) => {
    const element = document.createElement(tag);
    if (tag === 'link') element.setAttribute('rel', 'stylesheet');
    element.onload = () => resolve('loaded');
    element.onerror = reject;
    element.setAttribute(attribute, url);
    document.head.append(element);
  });
}

/** A frame that the page can look into. */
function framed(tag, url) {
  return new Promise((resolve, reject) => {
    const frame = document.createElement(tag);
    frame.src = url;
    frame.onload = () => {
      try {
        const text = frame.contentDocument?.body.textContent ?? '';
        if (text) resolve(text);
        else reject();
      } catch {
        reject();
      }
    };
    document.body.append(frame);
  });
}
