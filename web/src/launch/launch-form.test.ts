import { expect, it } from 'vitest';
import { readLaunch } from './launch-form.js';

function formOf(values: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) data.set(name, value);
  return data;
}

it('reads what is set and clears what is empty', () => {
  const data = formOf({ agentType: 'opencode', model: ' big ', effort: '', taskExecutionTimeoutMs: '90' });
  expect(readLaunch(data, {}, {})).toMatchObject({
    agentType: 'opencode',
    model: 'big',
    effort: null,
    taskExecutionTimeoutMs: 5_400_000,
    resourceRequirements: null,
  });
});

it('reads the fields by the names that the request has for them', () => {
  const names = { agentType: 'defaultAgentType', resourceRequirements: 'resourceRequirementsJson' };
  const data = formOf({ defaultAgentType: 'amp', 'resourceRequirementsJson.minVcpu': '4' });
  expect(readLaunch(data, names, {})).toMatchObject({
    agentType: 'amp',
    resourceRequirements: { minVcpu: 4 },
  });
});

it('keeps a demand of none, which an empty field cannot show, until a value takes its place', () => {
  const before = { resourceRequirements: { minVcpu: null, minDiskGb: null, minMemoryGb: 8 } };
  const data = formOf({ 'resourceRequirements.minDiskGb': '20', 'resourceRequirements.exclusiveNode': 'no' });
  expect(readLaunch(data, {}, before).resourceRequirements).toEqual({
    minVcpu: null,
    minDiskGb: 20,
    exclusiveNode: false,
  });
});
