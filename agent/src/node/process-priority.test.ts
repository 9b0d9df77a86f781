import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { raiseProcessPriority, spawn } from './process-priority.js';

describe.runIf(process.getuid?.() === 0)('as root', () => {
  afterEach(() => setPriority(0));

  async function priorityOfProgram(): Promise<string> {
    const child = spawn('nice', { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return said.trim();
  }

  it('gives the agent a higher priority than the programs that it starts', async () => {
    raiseProcessPriority();

    expect(await priorityOfProgram()).toBe('0');
    expect(getPriority()).toBe(-10);
  });

  it("keeps the agent's priority when a program cannot be started", async () => {
    raiseProcessPriority();

    expect(() => spawn('')).toThrow();
    expect(getPriority()).toBe(-10);
  });

  it('keeps a priority that the operator has set', async () => {
    setPriority(5);
    raiseProcessPriority();

    expect(getPriority()).toBe(5);
    expect(await priorityOfProgram()).toBe('5');
  });
});
