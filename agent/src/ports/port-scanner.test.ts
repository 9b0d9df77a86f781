import { expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import type { NewEvent } from '../store/event-store.js';
import { noPorts } from '../workspaces/container/declared-ports.js';
import type { ListeningSocket } from './listening-sockets.js';
import { PortScanner } from './port-scanner.js';

const options = { isEnabled: true, intervalMs: 60_000, excluded: new Set([22]), ephemeralMin: 32_768 };
const socket = (port: number, address = '127.0.0.1'): ListeningSocket => ({
  port,
  address,
  inode: `${port}`,
});

/** A fake machine: the test sets its sockets and moves its clock. */
function machine() {
  const events: NewEvent[] = [];
  const state = {
    sockets: new Map<string, ListeningSocket[]>(),
    declared: noPorts,
    now: 1_000_000,
    asked: 0,
    isBroken: false,
  };
  const scanner = new PortScanner(options, {
    running: () => [...state.sockets.keys()],
    listening: async () => {
      state.asked += 1;
      if (state.isBroken) throw new Error('no /proc here');
      return state.sockets;
    },
    declared: async (workspaceId) => (workspaceId === 'one' ? state.declared : noPorts),
    events: { add: (event) => void events.push(event) },
    log: new Log({ level: 'error', format: 'json' }, () => undefined),
    now: () => new Date(state.now),
  });
  const list = async (workspaceId = 'one') => {
    state.now += 5_000;
    return scanner.list(workspaceId);
  };
  return { state, events, scanner, list };
}

it('lists each port once with label and preview URL, and records an event', async () => {
  const { state, events, list } = machine();
  state.sockets.set('one', [socket(5173), socket(3000, '0.0.0.0'), socket(3000, '::')]);

  const { ports, diagnostics } = await list();

  expect(ports).toEqual([
    {
      port: 3000,
      address: '0.0.0.0',
      label: 'Dev Server',
      url: '/workspaces/one/ports/3000/',
      detectedAt: '1970-01-01T00:16:45.000Z',
    },
    expect.objectContaining({ port: 5173, label: 'Vite' }),
  ]);
  expect(diagnostics).toMatchObject({ portScanEnabled: true, error: null });
  expect(events.map(({ type, detail }) => [type, detail?.port])).toEqual([
    ['port.detected', 5173],
    ['port.detected', 3000],
  ]);
});

it('leaves out excluded and ephemeral ports', async () => {
  const { state, list } = machine();
  state.sockets.set('one', [socket(22), socket(32_768), socket(40_000), socket(32_767)]);

  expect((await list()).ports.map(({ port }) => port)).toEqual([32_767]);
});

it('keeps the detection time of a port, and records its closing', async () => {
  const { state, events, list } = machine();
  state.sockets.set('one', [socket(3000)]);
  const first = await list();
  const second = await list();
  state.sockets.set('one', []);

  expect(second.ports[0]?.detectedAt).toBe(first.ports[0]?.detectedAt);
  expect((await list()).ports).toEqual([]);
  expect(events.map(({ type }) => type)).toEqual(['port.detected', 'port.closed']);
});

it('shows a workspace its own ports only', async () => {
  const { state, list } = machine();
  state.sockets.set('one', [socket(3000)]);
  state.sockets.set('two', [socket(4000)]);

  expect((await list('two')).ports.map(({ port }) => port)).toEqual([4000]);
  expect((await list('three')).ports).toEqual([]);
});

it('scans only while a workspace runs, once for concurrent requests', async () => {
  const { state, scanner, list } = machine();
  await list();
  expect(state.asked).toBe(0);

  state.sockets.set('one', [socket(3000)]);
  state.now += 5_000;
  await Promise.all([scanner.list('one'), scanner.list('one'), scanner.list('two')]);

  expect(state.asked).toBe(1);
});

it('limits the events of a port that opens and closes all the time', async () => {
  const { state, events, list } = machine();
  for (let time = 0; time < 200; time++) {
    state.sockets.set('one', time % 2 === 0 ? [socket(3000)] : []);
    await list();
  }

  // A burst of twenty, then one per ten seconds for a thousand seconds.
  expect(events.length).toBeLessThanOrEqual(121);
});

it('reports an error where ports cannot be scanned', async () => {
  const { state, list } = machine();
  state.sockets.set('one', []);
  state.isBroken = true;

  expect(await list()).toMatchObject({
    ports: [],
    diagnostics: { scannerActive: false, error: 'Port scan is not possible on this machine' },
  });
});

it('shows ports of the configuration before and after something listens, with their labels', async () => {
  const { state, events, list } = machine();
  const labels = [{ from: 3000, to: 3010, label: 'Shop' }];
  state.declared = { forwarded: [40_000, 3000, 22], labels };
  state.sockets.set('one', [socket(3005)]);

  const before = await list();
  expect(before.ports).toEqual([expect.objectContaining({ port: 3005, label: 'Shop' })]);
  expect(before.forwardPorts).toEqual([
    { port: 3000, label: 'Shop', url: '/workspaces/one/ports/3000/', listening: false },
    { port: 40_000, label: 'Port 40000', url: '/workspaces/one/ports/40000/', listening: false },
  ]);
  state.sockets.set('one', [socket(3000), socket(40_000), socket(40_001)]);

  const after = await list();
  expect(after.ports.map(({ port }) => port)).toEqual([3000, 40_000]);
  expect(after.forwardPorts.map(({ listening }) => listening)).toEqual([true, true]);
  expect((await list('two')).forwardPorts).toEqual([]);
  expect(events.map(({ message }) => message)).toContain('Shop listens on port 3000');
});
