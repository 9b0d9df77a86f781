import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type StubSessions, stubSessions, workspaceId } from '../../../test/support/stub-sessions.js';
import { HarnessError } from '../harness/harness.js';

const key = { workspaceId, sessionId: 'one' };
const start = { agentType: 'claude-code' as const };
const sample = { numRuns: 25 };

type Step =
  | { readonly does: 'start' | 'prompt' | 'changed'; readonly delivery: number }
  | { readonly does: 'end' | 'say' | 'die' | 'fail' | 'busy' | 'cancel' | 'suspend' | 'resume' | 'restart' };

const delivery = fc.integer({ min: 1, max: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom('start', 'prompt', 'changed'), delivery }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom('end', 'say', 'die', 'fail', 'busy', 'cancel', 'suspend', 'resume', 'restart'),
    }),
  },
);

/** The answers to a client and the prompts of harnesses, over several runs of the agent. */
class Run {
  readonly invoked: string[] = [];
  readonly acceptedIds = new Set<string>();
  private all: StubSessions = this.open();

  private open(path?: string): StubSessions {
    const all = stubSessions({}, path);
    all.harnesses.prepare = (harness) => {
      const { prompt } = harness;
      harness.prompt = (blocks) => {
        const [block] = blocks;
        if (block?.type === 'text') this.invoked.push(block.text);
        return prompt.call(harness, blocks);
      };
    };
    return all;
  }

  create(): void {
    this.all.sessions.create(workspaceId, { sessionId: 'one' }, null);
  }

  async take(step: Step): Promise<void> {
    if ('delivery' in step) this.submit(step.does, step.delivery);
    else if (step.does === 'cancel') this.all.sessions.cancel(key);
    else if (step.does === 'suspend' || step.does === 'resume') await this.all.sessions[step.does](key);
    else if (step.does === 'restart') await this.restart();
    else this.disturb(step.does);
    // Whatever that has set off goes some of its way, and often not to its end.
    for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  async restart(): Promise<void> {
    await this.all.sessions[Symbol.asyncDispose]();
    this.all.database.close();
    this.all = this.open(this.all.path);
  }

  stateOf(deliveryId: string): string | undefined {
    return this.all.records.findReceipt({ ...key, deliveryId })?.state;
  }

  private submit(how: 'start' | 'prompt' | 'changed', number: number): void {
    const deliveryId = `d-${number}`;
    // Odd deliveries are starts, even ones prompts. `changed` reuses an id with another request.
    const text = how === 'changed' ? `${deliveryId} changed` : deliveryId;
    const versioned = { protocolVersion: 1, deliveryId };
    const { status, body } =
      number % 2 === 1
        ? this.all.sessions.start(key, { ...start, ...versioned, initialPrompt: text })
        : this.all.sessions.prompt(key, { ...versioned, prompt: text });
    if (status === 202) {
      expect(this.acceptedIds.has(deliveryId)).toBe(false);
      this.acceptedIds.add(deliveryId);
    }
    if (status === 200) expect(this.acceptedIds.has(deliveryId)).toBe(true);
    if (body.status === 'not_ready') expect(this.acceptedIds.has(deliveryId)).toBe(false);
  }

  private disturb(how: 'end' | 'say' | 'die' | 'fail' | 'busy'): void {
    const harness = this.all.harnesses.started.at(-1);
    if (!harness || harness.isGone) return;
    if (how === 'say') harness.say('x');
    if (how === 'die') harness.die();
    if (how === 'end') harness.turns.at(-1)?.end();
    if (how === 'fail') harness.turns.at(-1)?.fail(new HarnessError('failed', 'no'));
    if (how === 'busy') harness.turns.at(-1)?.fail(new HarnessError('transient', 'overloaded'));
  }
}

it('invokes each accepted delivery at most once, and no other, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const run = new Run();
      run.create();
      const hadBusy = steps.some(({ does }) => does === 'busy');
      for (const next of steps) await run.take(next);
      await run.restart();

      for (const text of new Set(run.invoked)) {
        const deliveryId = text.split(' ')[0] ?? '';
        expect(run.acceptedIds).toContain(deliveryId);
        expect(['completed', 'ambiguous']).toContain(run.stateOf(deliveryId));
        // An overloaded provider has done nothing: only then may the prompt be sent again.
        if (!hadBusy) expect(run.invoked.filter((one) => one.startsWith(`${deliveryId}`))).toHaveLength(1);
      }
      for (const deliveryId of run.acceptedIds)
        expect(['completed', 'ambiguous']).toContain(run.stateOf(deliveryId));
    }),
    sample,
  );
}, 120_000);
