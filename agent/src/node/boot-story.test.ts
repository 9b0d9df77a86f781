import { expect, it } from 'vitest';
import { BootStory } from './boot-story.js';

it('says nothing of a boot that went well', () => {
  expect(new BootStory({ offsetMs: 0 }).take()).toBeNull();
});

it('tells once what had to be tried again, how often, and how far the clock is off', () => {
  const story = new BootStory({ offsetMs: -61_000 }, () => 12_345.6);
  story.trouble('Bootstrap', new Error('first'));
  story.trouble('Bootstrap', new Error('/api/bootstrap answered 503'));
  story.trouble('Ready', 'cut');

  expect(story.take()).toEqual({
    step: 'node_boot',
    status: 'completed',
    message: 'The node came up with difficulties',
    detail: [
      'Bootstrap: tried again 2 times (/api/bootstrap answered 503)',
      'Ready: tried again 1 times (cut)',
      "The node's clock is 61 s ahead of the control plane's",
    ].join('\n'),
    durationMs: 12_346,
  });
  expect(story.take()).toBeNull();
});
