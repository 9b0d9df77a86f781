import { Terminal as Screen } from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { decodeTerminalFrame } from '../../../protocol/terminal-frames.js';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';

const reconnectsOf: Readonly<Record<string, number>> = { standalone: 1_000, workspace: 200 };
const sessionsAtOnce = 4;

/** One connection: reads from `offset` until its limit, then breaks without a close. */
class Visit {
  readonly messages: string[] = [];
  private readonly waiting: Buffer[] = [];
  private wake: () => void = () => undefined;

  private constructor(
    private readonly socket: WebSocket,
    private readonly sessionId: string,
    public offset: number,
  ) {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.waiting.push(data);
      else this.messages.push(data.toString());
      this.wake();
    });
  }

  static async begin(started: StartedWorkspaces, token: string, sessionId: string, offset: number) {
    const { agent } = started;
    const url = `wss://127.0.0.1:${agent.port}/terminal/ws/multi?token=${token}`;
    const socket = new WebSocket(url, { ca: agent.certificate() });
    const visit = new Visit(socket, sessionId, offset);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return visit;
  }

  send(type: string, data: object): void {
    this.socket.send(JSON.stringify({ type, sessionId: this.sessionId, data }));
  }

  async reported(type: string): Promise<void> {
    while (!this.messages.some((message) => message.includes(`"${type}"`))) await this.news();
  }

  /** Output at least up to the offset; checks that the frames are contiguous. */
  async follow(upTo: number, take: (bytes: Uint8Array) => void): Promise<void> {
    while (this.offset < upTo) {
      const data = this.waiting.shift();
      if (!data) await this.news();
      else this.takeFrame(data, take);
    }
  }

  leave(): void {
    this.socket.terminate();
  }

  private takeFrame(data: Buffer, take: (bytes: Uint8Array) => void): void {
    const frame = decodeTerminalFrame(data);
    if (frame?.kind !== 'output') throw new Error('no output');
    if (frame.offset !== this.offset) throw new Error(`expected byte ${this.offset}, got ${frame.offset}`);
    this.offset += frame.bytes.length;
    take(frame.bytes);
    this.send('ack', { offset: this.offset });
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

/** Numbers in the format of `seq`; reports the first gap. */
class Counting {
  next = 1;
  private rest = '';

  take(bytes: Uint8Array): void {
    const lines = (this.rest + Buffer.from(bytes).toString('latin1')).split('\r\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (this.next === 1 && !/(?:^|\r)1$/.test(line)) continue;
      if (this.next > 1 && line !== String(this.next))
        throw new Error(`expected ${this.next}, got ${JSON.stringify(line)}`);
      this.next += 1;
    }
  }
}

describe.each(rolesHere)('terminals as %s', (role) => {
  const reconnects = reconnectsOf[role] ?? 0;
  let started: StartedWorkspaces;
  let token: string;

  beforeAll(async () => {
    started = await StartedWorkspaces.start(role);
    token = await started.fake.terminal(started.workspaceId);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  const begin = async (sessionId: string, command: string) => {
    const visit = await Visit.begin(started, token, sessionId, 0);
    visit.send('create_session', { rows: 24, cols: 80 });
    await visit.reported('session_created');
    visit.send('input', { data: command });
    return visit;
  };

  it(`lose and repeat no byte in ${reconnects} reconnects during a flood`, async () => {
    const flood = async (sessionId: string): Promise<number> => {
      const counting = new Counting();
      let visit = await begin(sessionId, 'stty -echo; seq 1 100000000\n');
      for (let round = 0; round < reconnects / sessionsAtOnce; round++) {
        // Disconnects sometimes during the first frame, sometimes much later.
        const enough = visit.offset + (round % 5) * 10_000 + 1;
        await visit.follow(enough, (bytes) => counting.take(bytes));
        visit.leave();
        visit = await Visit.begin(started, token, sessionId, visit.offset);
        visit.send('reattach_session', { offset: visit.offset });
      }
      visit.send('close_session', {});
      visit.leave();
      return counting.next;
    };
    const sessions = Array.from({ length: sessionsAtOnce }, (_, index) => flood(`flood-${index}`));
    for (const counted of await Promise.all(sessions)) expect(counted).toBeGreaterThan(reconnects);
  });

  it('show a client that reconnects the same screen as one that stayed connected', async () => {
    const paint =
      'for i in $(seq 1 1500); do printf "\\033[%d;%dH\\033[3%dm%s \\342\\202\\254\\033[0m" $((i % 24 + 1)) $((i * 7 % 70 + 1)) $((i % 8)) "n$i"; done; echo EN"D"\n';
    const screens = [
      new Screen({ cols: 80, rows: 24, allowProposedApi: true }),
      new Screen({ cols: 80, rows: 24, allowProposedApi: true }),
    ];
    const [whole, pieces] = screens as [Screen, Screen];
    const stays = await begin('painted', 'true\n');
    const leaving = await Visit.begin(started, token, 'painted', 0);
    leaving.send('reattach_session', { offset: 0 });
    await leaving.reported('session_reattached');
    stays.send('input', { data: paint });
    let seen = '';
    while (!seen.includes('END'))
      await stays.follow(stays.offset + 1, (bytes) => {
        whole.write(bytes);
        seen += Buffer.from(bytes).toString('latin1');
      });
    let leaves = leaving;
    for (let drawn = 0; drawn < stays.offset; ) {
      // In the middle of characters and escape sequences.
      await leaves.follow(drawn + 1, (bytes) => {
        // Not beyond the other screen: the shell may have printed a prompt since.
        const part = bytes.subarray(0, Math.min(997, stays.offset - drawn));
        pieces.write(part);
        drawn += part.length;
      });
      leaves.leave();
      leaves = await Visit.begin(started, token, 'painted', drawn);
      leaves.send('reattach_session', { offset: drawn });
    }

    const [one, other] = await Promise.all(screens.map(rendered));
    expect(one?.join('')).toContain('€');
    expect(other).toEqual(one);
    stays.leave();
    leaves.leave();
  });
});

/** Every cell with its colour, after all output was drawn. */
async function rendered(screen: Screen): Promise<string[]> {
  await new Promise<void>((resolve) => screen.write('', resolve));
  return Array.from({ length: screen.rows }, (_, row) => {
    const line = screen.buffer.active.getLine(screen.buffer.active.baseY + row);
    return Array.from({ length: screen.cols }, (_, column) => {
      const cell = line?.getCell(column);
      return `${cell?.getChars() || ' '}${cell?.getFgColor()}`;
    }).join('');
  });
}
