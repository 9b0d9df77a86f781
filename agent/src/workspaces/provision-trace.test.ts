import { expect, it } from 'vitest';
import { ProvisionTrace } from './provision-trace.js';

it('names the last step with its time and its last output, without secrets', () => {
  let now = 0;
  const trace = new ProvisionTrace(() => now);
  trace.begin('Cloning octo/full');
  trace.add('output of the clone');
  trace.begin('Building .devcontainer.json');
  trace.add('x'.repeat(5_000));
  trace.add('\n[2026-01-01T00:00:00.000Z] fetching password=hunter22\nwaiting\n');
  now = 61_000;

  expect(trace.text).toMatch(/^The step "Building .devcontainer.json" had run for 61 s. Last output:\nx+\n/);
  expect(trace.text).toMatch(/fetching .*\nwaiting$/);
  expect(trace.text).not.toMatch(/hunter22|output of the clone/);
  expect(trace.text.length).toBeLessThan(800);
});

it('states a step without output, and a workspace that waited for a slot', () => {
  const trace = new ProvisionTrace(() => 0);
  expect(trace.text).toBe('It waited for a build slot.');

  trace.begin('Cloning octo/full');
  expect(trace.text).toBe('The step "Cloning octo/full" had run for 0 s. It had no output.');
});
