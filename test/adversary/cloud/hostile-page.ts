import type { Page } from 'playwright-core';

/** Script of a hostile page, as text: tests have no types of browsers. */
const scripts = {
  cookies: '() => document.cookie',
  toss: '(all) => { for (const cookie of all) document.cookie = cookie; }',
  bomb: `(count) => {
    for (let n = 0; n < count; n++) {
      document.cookie = 'bomb' + n + '=' + 'x'.repeat(4000) + '; Domain=localhost; Path=/';
      document.cookie = 'small' + n + '=x; Domain=localhost; Path=/';
    }
  }`,
  frame: `(src) => {
    const frame = document.createElement('iframe');
    frame.src = src;
    document.body.append(frame);
    return new Promise((resolve) => frame.addEventListener('load', () => resolve(frame.contentDocument === null)));
  }`,
  open: '(address) => { window.popup = window.open(address); }',
  holdsPopup: '() => !window.popup.closed || window.popup.length > 0',
  opener: '() => window.opener === null',
  fetch: `([address, init]) => fetch(address, init).then(
    async (answer) => answer.type + ' ' + (await answer.text()).length,
    (error) => error.name,
  )`,
  fetchAll: `(calls) => Promise.all(calls.map(([address, init]) => fetch(address, init).then(
    async (answer) => answer.type === 'opaque' ? 'opaque' : answer.status + ' ' + (await answer.text()),
    (error) => error.name,
  )))`,
  post: `(action) => {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = action;
    document.body.append(form);
    form.submit();
  }`,
  fetchWithoutOrigin: `(address) => {
    const frame = document.createElement('iframe');
    frame.sandbox.add('allow-scripts');
    frame.srcdoc = '<script>fetch(' + JSON.stringify(address) + ', { credentials: "include" })' +
      '.then(() => "read", () => "refused").then((what) => parent.postMessage(what, "*"))</' + 'script>';
    document.body.append(frame);
    return new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data)));
  }`,
  socket: `(address) => new Promise((resolve) => {
    const socket = new WebSocket(address);
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  })`,
  register: `(scope) => navigator.serviceWorker.register('worker.js', { scope }).then(
    (registration) => registration.unregister().then(() => 'registered'),
    (error) => error.name,
  )`,
  loadScript: `(src) => {
    const script = document.createElement('script');
    script.src = src;
    document.head.append(script);
    return new Promise((resolve) => {
      script.onload = () => resolve('ran');
      script.onerror = () => resolve('refused');
    });
  }`,
} as const;

/** Runs one of the scripts in a page, with one argument. */
export function inPage(page: Page, name: keyof typeof scripts, argument: unknown = null): Promise<unknown> {
  return page.evaluate(`(${scripts[name]})(${JSON.stringify(argument)})`);
}
