import type { Measurement } from '../measurement.js';
import { BenchCloud } from './bench-cloud.js';
import { measureFollowUps } from './follow-ups.js';
import { measureLiveWords } from './live-words.js';
import { measureSubmissions } from './submissions.js';

/** Times that people wait, and delays of messages, while an agent works on a task. */
export async function measureTasks(): Promise<readonly Measurement[]> {
  await using bench = await BenchCloud.start();
  // One that stays: it brings the node up and keeps it.
  const { taskId } = await bench.submit('Keep the node');
  await bench.untilAtRest(taskId);
  return [
    ...(await measureSubmissions(bench)),
    ...(await measureFollowUps(bench, taskId)),
    ...(await measureLiveWords(bench, taskId)),
  ];
}
