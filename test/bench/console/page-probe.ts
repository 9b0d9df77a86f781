/**
 * Runs in each page before its own code. It notes when a frame of a WebSocket arrives, when an
 * element is painted, and how far the layout shifts.
 */
export const pageProbe = `(() => {
  const frames = [];
  window.WebSocket = class extends WebSocket {
    constructor(...of) {
      super(...of);
      this.addEventListener('message', ({ data }) => frames.push({ at: performance.now(), text: String(data) }));
    }
  };
  // After the next frame is drawn: a task that is posted in its callback runs behind the paint.
  const nextPaint = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(0);
  }));
  const painted = (isThere) => new Promise((resolve) => {
    const look = () => {
      if (!isThere()) return;
      changes.disconnect();
      resolve(nextPaint());
    };
    const changes = new MutationObserver(look);
    changes.observe(document, { childList: true, subtree: true, characterData: true });
    look();
  });
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  const firstPaint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  const listPainted = painted(() => document.querySelector('main .card.row a') !== null);
  window.probe = {
    painted,
    listPainted,
    nextPaint,
    firstPaint,
    shift: () => shift,
    arrived: (text) => frames.find((frame) => frame.text.includes(text))?.at,
  };
})()`;
