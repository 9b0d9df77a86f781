import { expect, it } from 'vitest';
import { descriptionOf, toolExamples } from './tool-examples.js';
import { tools } from './tools.js';

const withoutArguments = [
  ...['get_instructions', 'get_pending_messages', 'get_workspace_info', 'get_workspace_diff_summary'],
];

it.each(tools)('$name is described with one example, if it has arguments', (tool) => {
  const examples = descriptionOf(tool).split('Example: {').length - 1;
  expect(examples).toBe(withoutArguments.includes(tool.name) ? 0 : 1);
});

it('each example is of a tool, which accepts it', () => {
  const refused = Object.entries(toolExamples).filter(([name, example]) => {
    const prepared = tools.find((tool) => tool.name === name)?.prepare(example);
    return prepared === undefined || 'issues' in prepared;
  });
  expect(refused).toEqual([]);
});
